import { sql } from 'kysely';
import { expect } from 'vitest';
import { migrate } from '#platform/server/database/migrate.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { fillCalendar, PLAIN_DRAFT } from '#testing/kits/planning/manyEvents.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { refoldSearchTexts } from './006-search-fold.ts';
import { migrations } from './index.ts';

testOnBothDatabases('texts stored before quotes and dashes were folded are rebuilt', async ({ open }) => {
  await using database = await open();
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'calendar', migrations },
  ]);
  await sql`insert into account (name, folded, password, is_owner, created) values ('a', 'a', '', 1, 0)`.execute(
    database.db,
  );
  await fillCalendar(database, 1, [
    { ...PLAIN_DRAFT, day: 20_000, name: 'Don’t – let', description: 'ħal' },
    { ...PLAIN_DRAFT, day: 20_000, name: 'other' },
  ]);
  const isSqlite = database.dialect === 'sqlite';
  await database.transaction(async ({ tx }) => {
    await sql`update calendar_search set name = 'don’t – let' where name like 'don%'`.execute(tx);
    if (!isSqlite) await sql`update calendar_search set words = array_to_tsvector('{ħal}')`.execute(tx);
    else
      for (const table of ['parts', 'words'])
        await sql`delete from ${sql.table(`calendar_search_${table}`)}`.execute(tx);
  });
  await database.transaction(({ tx }) => refoldSearchTexts(tx));
  const word = isSqlite
    ? sql`event in (select rowid from calendar_search_words where calendar_search_words match 'hal')
        and event in (select rowid from calendar_search_parts where calendar_search_parts match '"t - l"')`
    : sql`words @@ 'hal'::tsquery`;
  const { rows } = await sql`select name from calendar_search where ${word}`.execute(database.db);
  expect(rows).toEqual([{ name: "don't - let" }]);
});
