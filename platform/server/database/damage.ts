import Sqlite from 'better-sqlite3';
import { Refusal } from '#platform/contract/refusal.ts';

/** Over this size the check would hold up the start, and runs beside the server. */
export const MAX_STARTUP_CHECK_BYTES = 1024 ** 3;

/** @throws Refusal that names the damage and what to do. */
export const assertIntact = (file: Sqlite.Database): void => {
  const found = file.pragma('quick_check(1)', { simple: true });
  if (found !== 'ok') throw createDamageRefusal(file.name, String(found));
  const [orphan] = file.prepare('select "table", parent from pragma_foreign_key_check').raw().all();
  if (Array.isArray(orphan))
    throw createDamageRefusal(file.name, `rows of ${orphan[0]} belong to rows of ${orphan[1]} that are gone`);
};

/** What SQLite says of a file that is no database at all, or none that can be read, in a sentence; other errors as they are. */
export const explainDamage = (path: string, error: unknown): unknown =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)
    ? createDamageRefusal(path, error.message)
    : error;

const createDamageRefusal = (path: string, what: string): Refusal =>
  new Refusal(
    `The database ${path} is damaged (${what.replaceAll('\n', ' ')}). Move it away together with its -wal and -shm files, put the newest backup in its place, and start again.`,
  );
