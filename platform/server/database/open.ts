import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { FastifyBaseLogger } from 'fastify';
import { Kysely, sql, SqliteDialect } from 'kysely';
import type { Database } from './database.ts';

export interface DatabaseOptions {
  /** The folder that everything the server keeps lies in. */
  readonly dataDir: string;
  /** PostgreSQL instead of SQLite. */
  readonly databaseUrl?: string | undefined;
  readonly log: FastifyBaseLogger;
}

/** Opens the server's one database. @throws Refusal with a sentence for the operator where the server must not start. */
export const openDatabase = async ({ dataDir }: DatabaseOptions): Promise<Database> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(dataDir, 0o700);
  const file = new Sqlite(join(dataDir, 'data.db'));
  file.pragma('journal_mode = WAL');
  file.pragma('synchronous = FULL');
  file.pragma('foreign_keys = ON');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: file }) });
  return {
    dialect: 'sqlite',
    db,
    transaction: async (work) => {
      const then: (() => void)[] = [];
      const done = await db.transaction().execute((tx) => work({ tx, afterCommit: (one) => void then.push(one) }));
      for (const one of then) one();
      return done;
    },
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  };
};
