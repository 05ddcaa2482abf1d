import { sql, type Kysely } from 'kysely';
import { expect } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { idColumn } from './columns.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';

const createTable = (name: string) => async (db: Kysely<unknown>) =>
  db.schema.createTable(name).$call(idColumn(db)).addColumn('text', 'text').execute();

const first = { name: '001-first', up: createTable('shop_first') };
const second = { name: '002-second', up: createTable('shop_second') };

const listTables = async ({ db }: Database): Promise<readonly string[]> =>
  (await db.introspection.getTables()).map(({ name }) => name).filter((name) => !name.includes('migration'));

testOnBothDatabases('each set of migrations runs once, and later ones follow', async ({ open }) => {
  await using database = await open();
  await migrate(database, [{ name: 'shop', migrations: [first] }]);
  await sql`insert into shop_first (text) values ('kept')`.execute(database.db);
  await migrate(database, [
    { name: 'shop', migrations: [first, second] },
    { name: 'yard', migrations: [{ name: '001-first', up: createTable('yard_first') }] },
  ]);
  expect((await listTables(database)).toSorted()).toEqual(['shop_first', 'shop_second', 'yard_first']);
  expect((await sql`select text from shop_first`.execute(database.db)).rows).toEqual([{ text: 'kept' }]);
  const { rows } = await sql`select name from shop_migration order by name`.execute(database.db);
  expect(rows).toEqual([{ name: '001-first' }, { name: '002-second' }]);
});

testOnBothDatabases('a failed migration leaves nothing, and earlier ones remain', async ({ open }) => {
  await using database = await open();
  const failing = {
    name: '002-second',
    up: async (db: Kysely<unknown>) => {
      await createTable('shop_half')(db);
      throw new Error('no room');
    },
  };
  const migration = migrate(database, [{ name: 'shop', migrations: [first, failing] }]);
  await expect(migration).rejects.toThrow('a migration of shop failed');
  await expect(migration).rejects.toMatchObject({ cause: { message: 'no room' } });
  expect(await listTables(database)).toEqual(['shop_first']);
  await migrate(database, [{ name: 'shop', migrations: [first, second] }]);
  expect((await listTables(database)).toSorted()).toEqual(['shop_first', 'shop_second']);
});

testOnBothDatabases('a database of a newer version is refused before any change', async ({ open }) => {
  await using database = await open();
  await migrate(database, [{ name: 'shop', migrations: [first, second] }]);
  const migration = migrate(database, [
    { name: 'yard', migrations: [{ name: '001-first', up: createTable('yard_first') }] },
    { name: 'shop', migrations: [first] },
  ]);
  await expect(migration).rejects.toThrow('written by a newer Pegboard (shop: 002-second)');
  expect((await listTables(database)).toSorted()).toEqual(['shop_first', 'shop_second']);
});

testOnBothDatabases('migrations out of order are a programming error', async ({ open }) => {
  await using database = await open();
  const migration = migrate(database, [{ name: 'shop', migrations: [second, first] }]);
  await expect(migration).rejects.toThrow('not in the order of their names');
});
