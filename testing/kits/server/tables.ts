import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { assembleServer } from '../../../apps/server/assemble.ts';
import { getSharedFolder } from './globalSetup.ts';
import { prepareDatabase, startPostgres, type TestPostgres } from './postgres.ts';

/** The database of the cluster that contains the product's tables. */
const TEMPLATE_DATABASE = 'pegboard';

async function createDatabaseTables(dataDir: string, databaseUrl?: string): Promise<void> {
  const server = await assembleServer({
    dataDir,
    databaseUrl,
    passwordHash: 'test',
    logLevel: 'error',
    disk: { reserveBytes: 0 },
  });
  await server.stop();
}

/** Starts a PostgreSQL that can create databases with the product's tables fast, from a template. */
export async function startPostgresWithTables(): Promise<TestPostgres> {
  const from = await getSharedFolder('postgres', async (into) => {
    await using postgres = await startPostgres({ keepIn: into });
    await createDatabaseTables(into, await postgres.createDatabase({ name: TEMPLATE_DATABASE }));
  });
  return startPostgres({ from });
}

async function createSqliteTables(dataDir: string): Promise<void> {
  const file = join(dataDir, 'data.db');
  if (existsSync(file)) return;
  const templateFolder = await getSharedFolder('sqlite', createDatabaseTables);
  if (templateFolder !== undefined) await cp(join(templateFolder, 'data.db'), file);
}

/**
 * Creates the product's empty tables if there is nothing yet.
 * Migrating at each start took half of the time of most tests.
 */
export async function createTables(dataDir: string, databaseUrl: string | undefined): Promise<void> {
  return databaseUrl === undefined ? createSqliteTables(dataDir) : prepareDatabase(databaseUrl, TEMPLATE_DATABASE);
}
