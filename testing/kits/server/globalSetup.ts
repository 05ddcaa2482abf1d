import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hasErrorCode } from '#platform/server/storage/errorCode.ts';
import { COMPILE_CACHE } from '../../../apps/server/buildStamp.ts';

const FOLDER_VARIABLE = 'SHARED_FIXTURES';
/** PostgreSQL runs as its own user, which must be able to pass through the folder. */
const PASSABLE = 0o711;

/** Runs before all tests (the runner's `globalSetup`): creates a folder for fixtures that many files share. */
export async function setup(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-ready-'));
  await chmod(folder, PASSABLE);
  process.env[FOLDER_VARIABLE] = folder;
  // Each worker is a process and each server a thread; the cache saves them from compiling the same modules again.
  process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;
}

export async function teardown(): Promise<void> {
  await rm(process.env[FOLDER_VARIABLE] ?? '', { recursive: true });
}

const POLL_MS = 20;

/** Returns true if this process must create `path`, and false once another one has. */
async function claim(lockFolder: string, path: string): Promise<boolean> {
  for (;;) {
    try {
      await mkdir(lockFolder);
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
      await setTimeout(POLL_MS);
      continue;
    }
    if (!existsSync(path)) return true;
    await rm(lockFolder, { recursive: true });
    return false;
  }
}

/** Returns a folder that the first caller of a run fills with `create`. Undefined outside of a test run. */
export async function getSharedFolder(
  name: string,
  create: (folder: string) => Promise<void>,
): Promise<string | undefined> {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) return undefined;
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const lockFolder = `${path}.lock`;
  if (!(await claim(lockFolder, path))) return path;
  try {
    const temporaryFolder = await mkdtemp(join(folder, 'new-'));
    await chmod(temporaryFolder, PASSABLE);
    await create(temporaryFolder);
    await rename(temporaryFolder, path);
    return path;
  } finally {
    await rm(lockFolder, { recursive: true });
  }
}
