import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { assembleServer } from '../apps/server/assemble.ts';
import { prepareDatabase, startPostgres, type TestPostgres } from './postgres.ts';
import { readyMade } from './readyMade.ts';

/** The database of a cluster that has the product's tables. */
const LIKE = 'pegboard';

const makeTables = async (dataDir: string, databaseUrl?: string): Promise<void> => {
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
export const startPostgresWithTables = async (): Promise<TestPostgres> => {
  const from = await readyMade('postgres', async (into) => {
    const { freshDatabase, stop } = await startPostgres({ keepIn: into });
    try {
      await makeTables(into, await freshDatabase({ name: LIKE }));
    } finally {
      await stop();
    }
  });
  return startPostgres({ from });
};

const layInSqlite = async (dataDir: string): Promise<void> => {
  const file = join(dataDir, 'data.db');
  if (existsSync(file)) return;
  const made = await readyMade('sqlite', makeTables);
  if (made !== undefined) await cp(join(made, 'data.db'), file);
};

/** Lays the product's tables, without a row, where nothing stands yet: a server that starts there has nothing to make, which took half of the time of most tests. */
export const layTables = async (dataDir: string, databaseUrl: string | undefined): Promise<void> =>
  databaseUrl === undefined ? layInSqlite(dataDir) : prepareDatabase(databaseUrl, LIKE);
