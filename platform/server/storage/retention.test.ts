import { sql, type Kysely } from 'kysely';
import { pino } from 'pino';
import { expect } from 'vitest';
import { getRetentionMs } from '#platform/contract/retention.ts';
import { testOnBothDatabases, type TestStorage } from '#testing/kits/server/database.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { idColumn } from '../database/columns.ts';
import { migrate } from '../database/migrate.ts';
import { createRetention, createRetentionTable, type ExpiredRow } from './retention.ts';

const DAY_MS = getRetentionMs('day');
const START_MS = 1_795_000_000_000;

/** Creates a table of notes, and the table of retention periods. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('test_note')
    .$call(idColumn(db))
    .addColumn('account', 'integer')
    .addColumn('device', 'integer')
    .addColumn('received', 'bigint')
    .execute();
  await createRetentionTable(db, 'test_retention');
}

/** Creates two accounts, a table of notes, and a manual clock. */
async function setUpNotes({ open }: TestStorage) {
  const database = await open();
  const db = database.db.$extendTables<{ account: { id: number; name: string } }>();
  await db.schema.createTable('account').$call(idColumn(database.db)).addColumn('name', 'text').execute();
  await db
    .insertInto('account')
    .values([{ name: 'anna' }, { name: 'ben' }] as never)
    .execute();
  await migrate(database, [{ name: 'test', migrations: [{ name: '001', up }] }]);
  const timers = createManualTimers();
  const expired: (readonly [number, readonly ExpiredRow[]])[] = [];
  let failing: number | 'all' | undefined;
  let eraseCount = 0;
  const isFailing = (account: number): boolean => failing === 'all' || failing === account;
  const createTestRetention = () =>
    createRetention({
      database: {
        ...database,
        eraseDeleted: async () => {
          eraseCount += 1;
        },
      },
      table: 'test_note',
      settingsTable: 'test_retention',
      now: () => Temporal.Instant.fromEpochMilliseconds(START_MS + timers.now()),
      log: pino({ level: 'silent' }),
      onExpired: (account, rows) => {
        if (isFailing(account)) throw new Error('not now');
        expired.push([account, rows]);
      },
      timers,
    });
  const notes = database.db.$extendTables<{
    test_note: { id: number; account: number; device: number; received: number };
  }>();
  const insert = (account: number) =>
    notes
      .insertInto('test_note')
      .values({ account, device: 7, received: START_MS + timers.now() } as never)
      .execute();
  const listAccounts = async () =>
    (await notes.selectFrom('test_note').select('account').orderBy('id').execute()).map((row) => row.account);
  function setFailing(account: typeof failing): void {
    failing = account;
  }
  return {
    database,
    timers,
    expired,
    createTestRetention,
    insert,
    listAccounts,
    setFailing,
    getEraseCount: () => eraseCount,
  };
}

testOnBothDatabases('only rows whose retention has ended are removed, of each account', async (storage) => {
  const { database, timers, expired, createTestRetention, insert, listAccounts } = await setUpNotes(storage);
  await using _ = database;
  const retention = createTestRetention();
  await retention.purge();
  expect(await retention.get(1)).toBe('forever');
  await insert(1);
  await insert(2);
  await retention.set(1, 'day');
  expect(await retention.get(1)).toBe('day');
  timers.advance(DAY_MS / 2);
  await insert(1);
  retention.onInserted(1);
  timers.advance(DAY_MS / 2 - 1);
  expect(await listAccounts()).toEqual([1, 2, 1]);
  timers.advance(1);
  await expect.poll(listAccounts).toEqual([2, 1]);
  expect(expired).toEqual([[1, [{ id: 1, device: 7 }]]]);
  // The timer of the second row was set when the first one was removed.
  await retention.purge();
  timers.advance(DAY_MS / 2);
  await expect.poll(listAccounts).toEqual([2]);
  await retention.stop();
});

testOnBothDatabases('a shorter period applies immediately, a longer one later, and forever never', async (storage) => {
  const { database, timers, createTestRetention, insert, listAccounts } = await setUpNotes(storage);
  await using _ = database;
  const retention = createTestRetention();
  await insert(1);
  timers.advance(2 * DAY_MS);
  await retention.set(1, 'week');
  expect(await listAccounts()).toEqual([1]);
  await retention.set(1, 'day');
  expect(await listAccounts()).toEqual([]);
  await insert(1);
  await retention.set(1, 'forever');
  timers.advance(1000 * DAY_MS);
  await retention.purge();
  expect(await listAccounts()).toEqual([1]);
  await retention.stop();
});

testOnBothDatabases(
  'a server that was off removes expired rows at its start, and continues to wait',
  async (storage) => {
    const { database, timers, createTestRetention, insert, listAccounts } = await setUpNotes(storage);
    await using _ = database;
    const firstServer = createTestRetention();
    await firstServer.set(1, 'year');
    await insert(1);
    await firstServer.stop();
    const secondServer = createTestRetention();
    secondServer.start();
    await secondServer.purge();
    // Further away than the longest timer.
    timers.advance(getRetentionMs('year') - 1);
    await secondServer.purge();
    expect(await listAccounts()).toEqual([1]);
    timers.advance(1);
    await expect.poll(listAccounts).toEqual([]);
    await secondServer.stop();
  },
);

testOnBothDatabases(
  'an account that fails delays no other, is erased all the same, and is retried',
  async (storage) => {
    const { database, timers, expired, createTestRetention, insert, listAccounts, setFailing, getEraseCount } =
      await setUpNotes(storage);
    await using _ = database;
    const retention = createTestRetention();
    for (const account of [1, 2]) {
      await retention.set(account, 'day');
      await insert(account);
      retention.onInserted(account);
    }
    setFailing(1);
    timers.advance(DAY_MS);
    await expect.poll(listAccounts).toEqual([]);
    await retention.purge();
    expect(expired.map(([account]) => account)).toEqual([2]);
    expect(getEraseCount()).toBe(1);
    const insertOld = () =>
      sql`insert into test_note (account, device, received) values (1, 7, 0)`.execute(database.db);
    await insertOld();
    // The caller that sets a period only gets its own error.
    await retention.set(2, 'week');
    await expect(retention.set(1, 'week')).rejects.toThrow('not now');
    expect(getEraseCount()).toBe(2);
    setFailing(undefined);
    await insertOld();
    timers.advance(60_000);
    await expect.poll(() => expired.map(([account]) => account)).toEqual([2, 1]);
    await retention.stop();
  },
);

testOnBothDatabases('a database that fails once is queried again a minute later', async (storage) => {
  const { database, timers, createTestRetention, insert, listAccounts } = await setUpNotes(storage);
  await using _ = database;
  const retention = createTestRetention();
  await retention.set(1, 'day');
  await insert(1);
  await sql`alter table test_retention rename to away`.execute(database.db);
  timers.advance(DAY_MS / 2);
  await retention.purge();
  await sql`alter table test_note rename to away_too`.execute(database.db);
  timers.advance(DAY_MS);
  await retention.purge();
  await sql`alter table away rename to test_retention`.execute(database.db);
  await sql`alter table away_too rename to test_note`.execute(database.db);
  expect(await listAccounts()).toEqual([1]);
  timers.advance(60_000);
  await expect.poll(listAccounts).toEqual([]);
  await retention.stop();
});

testOnBothDatabases(
  'an unknown period of a newer version deletes nothing, and stops no other account',
  async (storage) => {
    const { database, timers, createTestRetention, insert, listAccounts } = await setUpNotes(storage);
    await using _ = database;
    const retention = createTestRetention();
    await insert(1);
    await insert(2);
    await sql`insert into test_retention (account, period) values (1, 'decade'), (2, 'day')`.execute(database.db);
    timers.advance(DAY_MS);
    await retention.purge();
    expect(await listAccounts()).toEqual([1]);
    expect(await retention.get(1)).toBe('forever');
    await retention.set(1, 'day');
    expect(await listAccounts()).toEqual([]);
    await retention.stop();
  },
);
