import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'captures';
const DONE = '.mkv';
const PART = `${DONE}.part`;

/** Recordings on this computer that the server has not taken yet. */
export interface CaptureSpool {
  /** A place for a new one that begins now. */
  readonly place: (now: Date) => { readonly name: string; readonly part: string };
  /** It has ended: it may be sent. False where nothing was recorded. */
  readonly finish: (name: string) => boolean;
  /** Names of those that have ended, the oldest first. */
  readonly waiting: () => readonly string[];
  readonly pathOf: (name: string) => string;
  readonly remove: (name: string) => void;
}

const folderIn = (stateDir: string): string => join(stateDir, FOLDER);

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return []; // nothing was ever recorded here
  }
};

/** Names of what has not been sent yet. */
export const capturesIn = (stateDir: string): readonly string[] =>
  namesIn(folderIn(stateDir)).filter((name) => name.endsWith(DONE) || name.endsWith(PART));

export const dropCaptures = (stateDir: string): void => rmSync(folderIn(stateDir), { recursive: true, force: true });

/** '2026-11-23_04-05-06Z': the server reads from it when the recording began, whatever zone this computer is in. */
const stampOf = (now: Date): string =>
  now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace('T', '_')
    .replaceAll(':', '-');

/** Opens the spool in the agent's folder. What an agent before this one was recording when it was killed counts as ended. */
export const openSpool = (stateDir: string): CaptureSpool => {
  const folder = folderIn(stateDir);
  const pathOf = (name: string): string => join(folder, name);
  const finish = (name: string): boolean => {
    const part = pathOf(name.replace(/\.mkv$/, PART));
    if (!existsSync(part)) return false;
    if (statSync(part).size === 0) {
      rmSync(part, { force: true });
      return false;
    }
    renameSync(part, pathOf(name));
    return true;
  };
  for (const name of namesIn(folder)) if (name.endsWith(PART)) finish(name.slice(0, -'.part'.length));

  return {
    place: (now) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stamp = stampOf(now);
      const taken = new Set(namesIn(folder).map((name) => name.split('.')[0]));
      let stem = stamp;
      for (let again = 2; taken.has(stem); again++) stem = `${stamp}-${again}`;
      return { name: `${stem}${DONE}`, part: pathOf(`${stem}${PART}`) };
    },
    finish,
    waiting: () => namesIn(folder).filter((name) => name.endsWith(DONE)),
    pathOf,
    remove: (name) => rmSync(pathOf(name), { force: true }),
  };
};
