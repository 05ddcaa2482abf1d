import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';
import { test, type TestOptions } from 'vitest';
import { idColumn } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { migrate, type MigrationSet } from '#platform/server/database/migrate.ts';
import { openDatabase, type DatabaseOptions } from '#platform/server/database/openDatabase.ts';
import { getSkipReason } from '#testing/machine.ts';
import { prepareDatabase, type TestPostgres } from './postgres.ts';
import { startPostgresWithTables } from './tables.ts';

/** Empty storage for one test. */
export interface TestStorage {
  readonly dialect: Database['dialect'];
  readonly dataDir: string;
  /**
   * Address of the database; undefined for SQLite. `startServer` takes it and `dataDir` to test a whole server.
   * The database does not exist yet: `startServer` creates it with tables, `open` creates it empty.
   * A test that connects in another way calls `prepareDatabase` first.
   */
  readonly databaseUrl: string | undefined;
  /** Opens the database; after closing it, opening it again finds the same data. */
  readonly open: (options?: Partial<DatabaseOptions>) => Promise<Database>;
  /** Lines of the log, as JSON. */
  readonly logLines: readonly string[];
}

type TestBody = (storage: TestStorage) => Promise<void>;

/**
 * Runs a test on SQLite and on PostgreSQL, each with empty storage. Without PostgreSQL that half is skipped.
 * Use: `testOnBothDatabases('a paste is stored', async ({ open }) => { await using database = await open(); … })`.
 */
export function testOnBothDatabases(name: string, body: TestBody, options: TestOptions = {}): void {
  testOnSqlite(name, body, options);
  testOnPostgres(name, body, options);
}

/** Runs a test on SQLite with empty storage. */
export function testOnSqlite(name: string, body: TestBody, options: TestOptions = {}): void {
  test(`${name} (SQLite)`, options, async () => withStorage('sqlite', undefined, body));
}

/** Runs a test on PostgreSQL with empty storage; skips it without PostgreSQL. */
export function testOnPostgres(name: string, body: TestBody, options: TestOptions = {}): void {
  const skipReason = getSkipReason('initdb');
  test.skipIf(skipReason !== undefined)(
    `${name} (PostgreSQL${skipReason === undefined ? '' : `, ${skipReason}`})`,
    options,
    async () => {
      postgres ??= startPostgresWithTables();
      const { reserveDatabase } = await postgres;
      await withStorage('postgres', reserveDatabase(), body);
    },
  );
}

/** One per process, started by the first test that needs it. It ends with the process. */
let postgres: Promise<TestPostgres> | undefined;

/** Returns the address of a new database, which `startServer` or `startCluster` creates. */
export async function createSharedDatabase(): Promise<string> {
  postgres ??= startPostgresWithTables();
  return (await postgres).reserveDatabase();
}

async function withStorage(
  dialect: Database['dialect'],
  databaseUrl: string | undefined,
  body: TestBody,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  const logLines: string[] = [];
  const log: FastifyBaseLogger = pino({ level: 'debug' }, { write: (line: string) => void logLines.push(line) });
  try {
    await body({
      dialect,
      dataDir,
      databaseUrl,
      logLines,
      open: async (options) => {
        await prepareDatabase(databaseUrl);
        return openDatabase({ dataDir, databaseUrl, log, ...options });
      },
    });
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

/** Creates the tables of one tool, and accounts and devices 1 and 2 that its rows can refer to. */
export async function createToolTables(database: Database, tool: MigrationSet): Promise<void> {
  const db = database.db.$extendTables<{ account: { name: string }; device: { name: string } }>();
  for (const table of ['account', 'device'] as const) {
    await db.schema
      .createTable(table)
      .$call(idColumn(database.db))
      .addColumn('name', 'text')
      .$call((create) => (table === 'account' ? create.addColumn('suspended', 'bigint') : create))
      .execute();
    await db
      .insertInto(table)
      .values([{ name: 'first' }, { name: 'second' }])
      .execute();
  }
  await migrate(database, [tool]);
}
