import type Sqlite from 'better-sqlite3';
import { Refusal } from '#platform/contract/refusal.ts';

export const BUSY_TIMEOUT_MS = 5000;

/** By name: what to set, and what SQLite then says. `synchronous` 2 is FULL. */
const PRAGMAS = {
  journal_mode: ['WAL', 'wal'],
  synchronous: ['FULL', 2],
  busy_timeout: [BUSY_TIMEOUT_MS, BUSY_TIMEOUT_MS],
  foreign_keys: ['ON', 1],
  journal_size_limit: [67_108_864, 67_108_864],
  secure_delete: ['ON', 1],
  wal_autocheckpoint: [0, 0], // the writing thread does it after its answer
  trusted_schema: ['OFF', 0],
} as const;

/** Makes a connection keep what it answers. Source: reliability.md, section 5. */
export const setPragmas = (file: Sqlite.Database): void => {
  for (const [name, [value]] of Object.entries(PRAGMAS)) file.pragma(`${name} = ${value}`);
};

/**
 * To be asked again after the first write: a build of SQLite may drop `synchronous` to NORMAL there.
 * @throws Refusal when a pragma is not as set.
 */
export const assertPragmas = (file: Sqlite.Database): void => {
  for (const [name, [, expected]] of Object.entries(PRAGMAS)) {
    const found = file.pragma(name, { simple: true });
    if (found !== expected)
      throw new Refusal(
        `SQLite says ${name} is ${String(found)} and not ${expected}: answered writes would not be safe in this folder. Put DATA_DIR on a local disk.`,
      );
  }
};
