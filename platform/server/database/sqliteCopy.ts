import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { DatabaseCopy, RowCounts } from './databaseCopy.ts';
import { BUSY_TIMEOUT_MS } from './sqliteConnection.ts';

/** Name of a database, and of its copy. */
export const SQLITE_FILE = 'data.db';

/**
 * Copies the database of a data folder, which may be in use, and checks the copy. Blocks until that is done, so a
 * server runs it in another process. The copy has no deleted rows, and needs no `-wal` file.
 */
export function copySqlite(dataDir: string, folder: string): DatabaseCopy {
  const target = join(folder, SQLITE_FILE);
  closeSync(openSync(target, 'wx', 0o600)); // SQLite itself would let others read it
  const source = new Sqlite(join(dataDir, SQLITE_FILE), { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    source.pragma('trusted_schema = OFF');
    source.prepare('vacuum into ?').run(target);
  } finally {
    source.close();
  }
  const file = openSync(target, 'r+');
  fsyncSync(file);
  closeSync(file);
  return { file: SQLITE_FILE, rows: checkSqliteCopy(target) };
}

/** Checks a copy, and counts its rows. @throws Error if it is damaged. */
export function checkSqliteCopy(path: string): RowCounts {
  const database = new Sqlite(path, { readonly: true });
  try {
    database.pragma('trusted_schema = OFF');
    const result = database.pragma('integrity_check(1)', { simple: true });
    if (result !== 'ok') throw new Error(`the copy of the database is damaged (${String(result)})`);
    const [orphan] = database.prepare('select "table" from pragma_foreign_key_check').pluck().all() as string[];
    if (orphan !== undefined) throw new Error(`in the copy, rows of ${orphan} belong to rows that are gone`);
    const tables = database
      .prepare(
        String.raw`select name from sqlite_schema where type = 'table' and name not like 'sqlite\_%' escape '\' order by name`,
      )
      .pluck()
      .all() as string[];
    return Object.fromEntries(
      tables.map((table) => [
        table,
        database
          .prepare(`select count(*) from "${table.replaceAll('"', '""')}"`)
          .pluck()
          .get() as number,
      ]),
    );
  } finally {
    database.close();
  }
}
