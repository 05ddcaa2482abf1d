import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { log as logIn } from '#platform/contract/session.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import type { DatabaseAddress } from '#platform/server/database/readDatabase.ts';
import { moveDatabase } from '#platform/server/move/moveDatabase.ts';
import { eventssearch } from '#tools/calendar/contract/events.ts';
import { listMigrationSets } from '../../apps/server/migrationSets.ts';
import { fillCalendar, PLAIN_DRAFT } from '../kits/planning/manyEvents.ts';
import { testOnPostgres, type TestStorage } from '../kits/server/database.ts';
import { prepareDatabase } from '../kits/server/postgres.ts';
import { fillTables } from '../kits/server/sampleRows.ts';
import { startServer, TEST_PASSWORD } from '../kits/server/server.ts';
import { createTables } from '../kits/server/tables.ts';
import { compareDatabases, readTargetState, runMove } from './killedMoves.ts';
import { derivedTables } from './oldDatabases.ts';

const silent = pino({ level: 'silent' });
const move = (source: DatabaseAddress, target: DatabaseAddress) =>
  moveDatabase({ source, target, sets: listMigrationSets(), derivedTables, log: silent });

/** Runs a test with SQLite in a folder, an empty PostgreSQL, and another folder. */
function testMove(
  name: string,
  body: (sqlite: DatabaseAddress, postgres: DatabaseAddress, back: DatabaseAddress) => Promise<void>,
): void {
  testOnPostgres(name, async ({ dataDir, databaseUrl }: TestStorage) => {
    await prepareDatabase(databaseUrl);
    const folder = await mkdtemp(join(tmpdir(), 'pegboard-moved-'));
    try {
      await body(
        { dataDir, databaseUrl: undefined },
        { dataDir, databaseUrl },
        { dataDir: join(folder, 'data'), databaseUrl: undefined },
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

async function fillProduct(address: DatabaseAddress, rows: number): Promise<void> {
  await createTables(address.dataDir, address.databaseUrl);
  await using database = await openDatabase({ ...address, log: silent });
  await fillTables(database, address, { rows, derivedTables });
}

testMove(
  'every table of the product is the same after a move to PostgreSQL and back',
  async (sqlite, postgres, back) => {
    await fillProduct(sqlite, 100);
    const moved = await move(sqlite, postgres);
    expect(moved.filter(({ rows }) => rows < 80)).toEqual([]);
    expect(await compareDatabases(sqlite, postgres)).toEqual([]);
    await move(postgres, back);
    expect(await compareDatabases(sqlite, back)).toEqual([]);
  },
);

/** Logs in, and returns the names that some searches find. */
async function search(address: DatabaseAddress): Promise<readonly string[]> {
  await using server = await startServer({ ...address });
  const { token } = await server.call(logIn, { username: 'Ada', password: TEST_PASSWORD });
  const call = createClient({ origin: server.origin, token: () => token });
  const found = await Promise.all(
    ['entis', 'x-ray', 'zebra'].map((searchterm) => call(eventssearch, { searchterm, tz: 'UTC' })),
  );
  return found.map(({ names }) => names.map(({ name }) => name).join());
}

testMove('after a move the same password logs in, and search finds the same events', async (sqlite, postgres, back) => {
  {
    await using server = await startServer({ dataDir: sqlite.dataDir, databaseUrl: undefined });
    await server.createAccount('Ada');
  }
  {
    await using database = await openDatabase({ ...sqlite, log: silent });
    await fillCalendar(database, 1, [
      { ...PLAIN_DRAFT, day: 20_000, name: 'Dentist – “check-up”', description: 'bring the X-ray' },
      { ...PLAIN_DRAFT, day: 20_001, name: 'Other', description: '' },
    ]);
  }
  const expected = ['Dentist – “check-up”', 'Dentist – “check-up”', ''];
  expect(await search(sqlite)).toEqual(expected);
  await move(sqlite, postgres);
  expect(await search(postgres)).toEqual(expected);
  await move(postgres, back);
  expect(await search(back)).toEqual(expected);
});

// `npm run test:faults moves` kills 50.
testMove('a move that is killed leaves an empty or a marked database, and continues', async (sqlite, postgres) => {
  await fillProduct(sqlite, 300);
  for (const killAfterMs of [30, Math.random() * 600]) {
    const { isKilled } = await runMove(sqlite.dataDir, sqlite, postgres, killAfterMs);
    const state = await readTargetState(postgres);
    if (!isKilled) expect(state).toBe('complete');
    if (state === 'complete') break;
    if (state === 'marked')
      await expect(startServer({ ...postgres })).rejects.toMatchObject({ code: 'database.move_unfinished' });
  }
  if ((await readTargetState(postgres)) !== 'complete') await move(sqlite, postgres);
  expect(await compareDatabases(sqlite, postgres)).toEqual([]);
});
