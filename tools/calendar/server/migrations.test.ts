import { expect } from 'vitest';
import { migrate } from '#platform/server/database/migrate.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { onBothDatabases } from '#testing/database.ts';
import { migrations } from './migrations/index.ts';

onBothDatabases('the tables of the calendar are made', async ({ open }) => {
  await using database = await open();
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'calendar', migrations },
  ]);
  const tables = await database.db.introspection.getTables();
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['calendar_event', 'calendar_rule']));
});
