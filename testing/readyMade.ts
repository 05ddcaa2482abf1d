import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCache } from '../apps/server/built.ts';

const FOLDER = 'READY_MADE';
/** PostgreSQL runs as a user of its own. */
const PASSABLE = 0o711;

/** Before a whole run of tests (the runner's `globalSetup`): a folder for what its files need again and again. */
export const setup = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-ready-'));
  await chmod(folder, PASSABLE);
  process.env[FOLDER] = folder;
  // Every worker has a process of its own, and every server a thread: none reads the same modules anew.
  process.env['NODE_COMPILE_CACHE'] ??= compileCache;
};

export const teardown = async (): Promise<void> => {
  await rm(process.env[FOLDER] ?? '', { recursive: true });
};

/** Gives the place of what `make` has put there, made by the first of the run that asks; undefined outside of a run of tests. */
export const readyMade = async (name: string, make: (into: string) => Promise<void>): Promise<string | undefined> => {
  const folder = process.env[FOLDER];
  if (folder === undefined) return undefined;
  const place = join(folder, name);
  if (existsSync(place)) return place;
  const into = await mkdtemp(join(folder, 'making-'));
  await chmod(into, PASSABLE);
  await make(into);
  try {
    await rename(into, place);
  } catch (error) {
    // Another file of the run was quicker.
    if (!existsSync(place)) throw error;
  }
  return place;
};
