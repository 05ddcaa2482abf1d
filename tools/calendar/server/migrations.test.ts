import { sql } from 'kysely';
import { expect } from 'vitest';
import { migrate } from '#platform/server/database/migrate.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { migrations } from './migrations/index.ts';

testOnBothDatabases('the tables of the calendar are created', async ({ open }) => {
  await using database = await open();
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'calendar', migrations },
  ]);
  const tables = await database.db.introspection.getTables();
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['calendar_event', 'calendar_rule']));
});

const createRow = (values: Record<string, unknown>) => ({
  account: 1,
  resource: 'a.ics',
  name: 'Event',
  style: 'calendar',
  day: 20_000,
  until_day: 20_000,
  created: 0,
  edited: 0,
  revision: 1,
  description: '',
  ...values,
});

testOnBothDatabases('events from before end and zone were stored stay unchanged', async ({ open }) => {
  await using database = await open();
  const { db } = database;
  const identity = { name: 'identity', migrations: identityMigrations };
  await migrate(database, [identity, { name: 'calendar', migrations: migrations.slice(0, 6) }]);
  await sql`insert into account (name, folded, password, is_owner, created) values ('anna', 'anna', 'x', 0, 0)`.execute(
    db,
  );
  const tables = db.$extendTables<Record<string, Record<string, unknown>>>();
  await tables
    .insertInto('calendar_event')
    .values(
      [
        createRow({ uid: 'single', time: '09:00', end_time: '10:00' }),
        createRow({ uid: 'hours', style: 'duration', duration: 4, duration_unit: 'hours', time: '22:00' }),
        createRow({ uid: 'morning', style: 'duration', duration: 4, duration_unit: 'hours', time: '08:00' }),
        createRow({
          uid: 'days',
          style: 'duration',
          duration: 3,
          duration_unit: 'days',
          time: '17:00',
          until_day: 20_002,
        }),
      ].map((each) => ({ time: null, end_time: null, duration: null, duration_unit: null, ...each })),
    )
    .execute();
  await tables
    .insertInto('calendar_rule')
    .values({ account: 1, event: 1, month_day: 0, period: 7, phase: 1, from_day: 0, until_day: 30_000 })
    .execute();
  await tables
    .insertInto('calendar_subscription')
    .values({ account: 1, address: 'x', name: 'x', colour: '#000000', due: 99, failures: 0, etag: '"1"' })
    .execute();

  await migrate(database, [identity, { name: 'calendar', migrations }]);
  const events = await tables
    .selectFrom('calendar_event')
    .select(['uid', 'day', 'until_day', 'time', 'end_time', 'end_days', 'zone'])
    .orderBy('id')
    .execute();
  const sharedColumns = { day: 20_000, until_day: 20_000, end_time: null, end_days: 0, zone: null };
  expect(events).toEqual([
    { ...sharedColumns, uid: 'single', time: '09:00', end_time: '10:00' },
    { ...sharedColumns, uid: 'hours', time: '22:00', until_day: 20_001 },
    { ...sharedColumns, uid: 'morning', time: '08:00' },
    { ...sharedColumns, uid: 'days', time: '17:00', until_day: 20_002 },
  ]);
  expect(await tables.selectFrom('calendar_rule').select('day_offset').execute()).toEqual([{ day_offset: 0 }]);
  // Subscribed calendars are read again, for their zones.
  expect(await tables.selectFrom('calendar_subscription').select(['etag', 'due']).execute()).toEqual([
    { etag: null, due: 0 },
  ]);
});

testOnBothDatabases('daily rows of long events become one row with their length', async ({ open }) => {
  await using database = await open();
  const { db } = database;
  const identity = { name: 'identity', migrations: identityMigrations };
  await migrate(database, [identity, { name: 'calendar', migrations: migrations.slice(0, 8) }]);
  await sql`insert into account (name, folded, password, is_owner, created) values ('anna', 'anna', 'x', 0, 0)`.execute(
    db,
  );
  const tables = db.$extendTables<Record<string, Record<string, unknown>>>();
  await tables
    .insertInto('calendar_event')
    .values([createRow({ uid: 'long', style: 'repeat' }), createRow({ uid: 'short', style: 'repeat' })])
    .execute();
  const rule = { account: 1, month_day: 0, period: 7, phase: 1, from_day: 0, until_day: 30_000 };
  const createRows = (event: number, offsets: readonly number[]) =>
    offsets.map((offset) => ({ ...rule, event, day_offset: offset }));
  await tables
    .insertInto('calendar_rule')
    .values([...createRows(1, [-1, 0, 1, 2, 3, 4]), ...createRows(2, [0, 1])])
    .execute();

  await migrate(database, [identity, { name: 'calendar', migrations }]);
  expect(await tables.selectFrom('calendar_span').selectAll().execute()).toEqual([
    { ...rule, event: 1, day_offset: -1, day_count: 6 },
  ]);
  const remainingRules = await tables
    .selectFrom('calendar_rule')
    .selectAll()
    .orderBy('event')
    .orderBy('day_offset')
    .execute();
  expect(remainingRules).toEqual([...createRows(1, [0]), ...createRows(2, [0, 1])]);
});
