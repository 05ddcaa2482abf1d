import { sql } from 'kysely';
import { expect } from 'vitest';
import { migrate } from '#platform/server/database/migrate.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { parseTerms } from '#tools/calendar/events/domain/searchTerms.ts';
import { createSearchStore } from '#tools/calendar/events/server/store/searchStore.ts';
import { migrations } from './index.ts';

const TODAY = 20_000;
const FILTER = { styles: [], subscriptions: [], tags: [], pinned: undefined };

testOnBothDatabases('events stored before quotes and dashes were folded are found', async (storage) => {
  await using database = await storage.open();
  const { db } = database;
  const identity = { name: 'identity', migrations: identityMigrations };
  await migrate(database, [identity, { name: 'calendar', migrations: migrations.slice(0, 5) }]);
  const tables = db.$extendTables<Record<string, Record<string, unknown>>>();
  for (const name of ['anna', 'ben'])
    await sql`insert into account (name, folded, password, is_owner, created) values (${name}, ${name}, '', 0, 0)`.execute(
      db,
    );
  const times = [
    { style: 'calendar', day: TODAY, until_day: TODAY },
    { style: 'duration', day: TODAY + 1, until_day: TODAY + 3 },
    { style: 'calendar', day: TODAY - 2, until_day: TODAY - 2 },
  ];
  for (const [index, time] of times.entries()) {
    const event = index + 1;
    const account = index === 2 ? 2 : 1;
    await tables
      .insertInto('calendar_event')
      .values({
        ...time,
        account,
        uid: `${event}`,
        resource: `${event}.ics`,
        name: 'Don’t – let',
        description: 'ħal',
        created: 0,
        edited: 0,
        revision: 1,
      })
      .execute();
    const search = { ...time, account, event, name: 'don’t – let' };
    if (database.dialect === 'postgres')
      await tables
        .insertInto('calendar_search')
        .values({ ...search, words: 'ħal' })
        .execute();
    else {
      await tables.insertInto('calendar_search').values(search).execute();
      await sql`insert into calendar_search_parts (rowid, name) values (${event}, ${search.name})`.execute(db);
      await sql`insert into calendar_search_words (rowid, words) values (${event}, 'ħal')`.execute(db);
    }
  }

  await migrate(database, [identity, { name: 'calendar', migrations }]);
  const find = async (account: number, text: string) =>
    (await createSearchStore(database).find({ account, terms: parseTerms(text), filter: FILTER, today: TODAY })).map(
      ({ event }) => event,
    );
  for (const text of ["don't", 'hal', '- let hal', "'t"]) {
    expect(await find(1, text), text).toEqual([1, 2]);
    expect(await find(2, text), text).toEqual([3]);
  }
  await sql`delete from account where id = 1`.execute(db);
  expect(await find(1, 'hal')).toEqual([]);
  if (database.dialect === 'sqlite')
    expect((await sql`select * from calendar_search_words_docsize`.execute(db)).rows).toHaveLength(1);
});
