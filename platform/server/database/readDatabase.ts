import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely, PostgresDialect, sql, SqliteDialect } from 'kysely';
import type { DatabaseOptions } from './openDatabase.ts';
import { BUSY_TIMEOUT_MS } from './sqliteConnection.ts';
import { SQLITE_FILE } from './sqliteCopy.ts';

/** Where a database is. */
export type DatabaseAddress = Pick<DatabaseOptions, 'dataDir' | 'databaseUrl'>;

/** A connection that only reads, also while a server uses the database. */
export interface DatabaseReader extends AsyncDisposable {
  readonly db: Kysely<unknown>;
}

/** Opens a database without changing or locking it. @returns undefined if there is none yet. */
export async function openDatabaseReader({
  dataDir,
  databaseUrl,
}: DatabaseAddress): Promise<DatabaseReader | undefined> {
  const dialect = databaseUrl === undefined ? openSqliteFile(dataDir) : await connectPostgres(databaseUrl);
  if (!dialect) return undefined;
  const db = new Kysely<unknown>({ dialect });
  return { db, [Symbol.asyncDispose]: async () => db.destroy() };
}

function openSqliteFile(dataDir: string): SqliteDialect | undefined {
  const path = join(dataDir, SQLITE_FILE);
  if (!existsSync(path)) return undefined;
  const database = new Sqlite(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  database.pragma('trusted_schema = OFF');
  return new SqliteDialect({ database });
}

/** @throws Refusal if it cannot be reached. */
async function connectPostgres(databaseUrl: string): Promise<PostgresDialect> {
  const [{ Pool }, { createUnreachableRefusal }] = await Promise.all([import('pg'), import('./postgres.ts')]);
  const pool = new Pool({
    connectionString: databaseUrl,
    application_name: 'pegboard',
    max: 1,
    options: '-c default_transaction_read_only=on',
  });
  pool.on('error', () => undefined); // the next query rejects with the same error
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    throw createUnreachableRefusal(error);
  }
  return new PostgresDialect({ pool });
}

/** Returns the size of a database in bytes. */
export async function readSizeBytes({ db }: DatabaseReader, { databaseUrl }: DatabaseAddress): Promise<number> {
  const size =
    databaseUrl === undefined
      ? sql`page_count * page_size as bytes from pragma_page_count, pragma_page_size`
      : sql`pg_database_size(current_database()) as bytes`;
  const { rows } = await sql<{ bytes: number | string }>`select ${size}`.execute(db);
  return Number(rows[0]?.bytes ?? 0);
}
