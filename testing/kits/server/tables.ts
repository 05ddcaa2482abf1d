import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { assembleServer } from '../../../apps/server/assemble.ts';
import { prepareDatabase, startPostgres, type TestPostgres } from './postgres.ts';
import { getSharedFolder } from './readyMade.ts';

/** The database of a cluster that has the product's tables. */
const TEMPLATE_DATABASE = 'pegboard';

const createDatabaseTables = async (dataDir: string, databaseUrl?: string): Promise<void> => {
  const server = await assembleServer({
    dataDir,
    databaseUrl,
    passwordHash: 'test',
    logLevel: 'error',
    disk: { reserveBytes: 0 },
  });
  await server.stop();
};

/** A PostgreSQL whose empty databases can be given the product's tables at once. */
export async function startPostgresWithTables(): Promise<TestPostgres> {
  const from = await getSharedFolder('postgres', async (into) => {
    const { createDatabase, stop } = await startPostgres({ keepIn: into });
    try {
      await createDatabaseTables(into, await createDatabase({ name: TEMPLATE_DATABASE }));
    } finally {
      await stop();
    }
  });
  return startPostgres({ from });
}

const createSqliteTables = async (dataDir: string): Promise<void> => {
  const file = join(dataDir, 'data.db');
  if (existsSync(file)) return;
  const made = await getSharedFolder('sqlite', createDatabaseTables);
  if (made !== undefined) await cp(join(made, 'data.db'), file);
};

/** Lays the product's tables, without a row, where nothing stands yet: a server that starts there has nothing to make, which took half of the time of most tests. */
export async function createTables(dataDir: string, databaseUrl: string | undefined): Promise<void> {
  return databaseUrl === undefined ? createSqliteTables(dataDir) : prepareDatabase(databaseUrl, TEMPLATE_DATABASE);
}
