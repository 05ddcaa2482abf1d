import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hasErrorCode } from '#platform/server/storage/errorCode.ts';
import { COMPILE_CACHE } from '../../../apps/server/buildStamp.ts';

const FOLDER = 'READY_MADE';
/** PostgreSQL runs as its own user, which must be able to pass through the folder. */
const PASSABLE = 0o711;

/** Runs before all tests (the runner's `globalSetup`): creates a folder for fixtures that many files share. */
export async function setup(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-ready-'));
  await chmod(folder, PASSABLE);
  process.env[FOLDER] = folder;
  // Each worker is a process and each server a thread; the cache saves them from compiling the same modules again.
  process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;
}

export async function teardown(): Promise<void> {
  await rm(process.env[FOLDER] ?? '', { recursive: true });
}

const POLL_MS = 20;

/** Returns whether this file must create it; false once another one has. */
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

/** Returns a folder that `make` filled once per run, by its first caller. Undefined outside of a test run. */
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
