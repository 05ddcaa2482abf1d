import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** Of the applications that were set longest ago nothing is kept. */
const MOST = 200;
const WRITE_AFTER_MS = 500;

const kept = z.object({ name: z.string(), level: z.number().check(z.minimum(0), z.maximum(100)), muted: z.boolean() });
const file = z.array(kept);

export interface Level {
  /** 0 to 100. */
  readonly level: number;
  readonly muted: boolean;
}

/** The levels that the user set, by the application's name, kept over restarts. */
export interface LevelMemory {
  readonly get: (name: string) => Level | undefined;
  readonly keep: (name: string, level: Level) => void;
  readonly forget: (name: string) => void;
  /** Writes what is not written yet. */
  readonly close: () => void;
}

const read = (path: string): z.output<typeof file> => {
  try {
    return file.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return []; // none yet, or not one of ours: levels are set again as the user sets them
  }
};

export const openLevels = (stateDir: string): LevelMemory => {
  const path = join(stateDir, 'levels.json');
  const levels = new Map(read(path).map(({ name, ...level }) => [name, level]));
  let writing: NodeJS.Timeout | undefined;

  /** Whole or not at all, and for nobody else to read. */
  const write = (): void => {
    clearTimeout(writing);
    writing = undefined;
    writeFileSync(`${path}.part`, JSON.stringify([...levels].map(([name, level]) => ({ name, ...level }))), {
      mode: 0o600,
    });
    renameSync(`${path}.part`, path);
  };
  const changed = (): void => {
    writing ??= setTimeout(write, WRITE_AFTER_MS);
  };
  return {
    get: (name) => levels.get(name),
    keep: (name, { level, muted }) => {
      levels.delete(name);
      levels.set(name, { level, muted });
      const [oldest] = levels.keys();
      if (levels.size > MOST && oldest !== undefined) levels.delete(oldest);
      changed();
    },
    forget: (name) => {
      if (levels.delete(name)) changed();
    },
    close: () => {
      if (writing) write();
    },
  };
};
