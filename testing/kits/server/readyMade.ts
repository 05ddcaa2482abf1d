import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hasErrorCode } from '#platform/server/storage/diskSpace.ts';
import { COMPILE_CACHE } from '../../../apps/server/buildStamp.ts';

const FOLDER = 'READY_MADE';
/** PostgreSQL runs as a user of its own. */
const PASSABLE = 0o711;

/** Before a whole run of tests (the runner's `globalSetup`): a folder for what its files need again and again. */
export async function setup(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-ready-'));
  await chmod(folder, PASSABLE);
  process.env[FOLDER] = folder;
  // Every worker has a process of its own, and every server a thread: none reads the same modules anew.
  process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;
}

export async function teardown(): Promise<void> {
  await rm(process.env[FOLDER] ?? '', { recursive: true });
}

const POLL_MS = 20;

/** Whether this file is the one to make it; false once another has made it. */
const claim = async (claimed: string, place: string): Promise<boolean> => {
  for (;;) {
    try {
      await mkdir(claimed);
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
      await setTimeout(POLL_MS);
      continue;
    }
    if (!existsSync(place)) return true;
    await rm(claimed, { recursive: true });
    return false;
  }
};

/** The folder that `make` filled: the first caller of a run fills it. Undefined outside a test run. */
export async function getSharedFolder(
  name: string,
  make: (into: string) => Promise<void>,
): Promise<string | undefined> {
  const folder = process.env[FOLDER];
  if (folder === undefined) return undefined;
  const place = join(folder, name);
  if (existsSync(place)) return place;
  const claimed = `${place}.claimed`;
  if (!(await claim(claimed, place))) return place;
  try {
    const into = await mkdtemp(join(folder, 'making-'));
    await chmod(into, PASSABLE);
    await make(into);
    await rename(into, place);
    return place;
  } finally {
    await rm(claimed, { recursive: true });
  }
}
