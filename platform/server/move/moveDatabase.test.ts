import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, asyncProperty, bigInt, double, option, string, tuple, uint8Array } from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect } from 'vitest';
import { testOnPostgres, testOnSqlite, type TestStorage } from '#testing/kits/server/database.ts';
import { prepareDatabase } from '#testing/kits/server/postgres.ts';
import { openTestTables } from '#testing/kits/server/sampleRows.ts';
import { idColumn, isPostgres } from '../database/columns.ts';
import { migrate, type MigrationSet } from '../database/migrate.ts';
import { openDatabase } from '../database/openDatabase.ts';
import type { DatabaseAddress } from '../database/readDatabase.ts';
import { assertNoUnfinishedMove, moveDatabase, type MoveOptions } from './moveDatabase.ts';
import { openSqliteTables } from './sqliteTables.ts';
import { computeTableDigest, orderByReferences, type Row } from './tableAccess.ts';

/** A table with columns of every kind, and one that references it. */
const kinds: MigrationSet = {
  name: 'kinds',
  migrations: [
    {
      name: '001-tables',
      up: async (db: Kysely<unknown>) => {
        await db.schema
          .createTable('kinds_row')
          .$call(idColumn(db))
          .addColumn('next', 'integer', (column) => column.references('kinds_row.id').onDelete('cascade'))
          .addColumn('count', 'bigint')
          .addColumn('share', 'double precision')
          .addColumn('text', 'text')
          .addColumn('data', isPostgres(db) ? 'bytea' : 'blob')
          .execute();
        await db.schema
          .createTable('a_child')
          .addColumn('row', 'integer', (column) => column.primaryKey().references('kinds_row.id'))
          .execute();
      },
    },
  ],
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pegboard-move-'));
});
afterEach(async () => rm(folder, { recursive: true }));

const log = pino({ level: 'silent' });
const getFolder = (): DatabaseAddress => ({ dataDir: folder, databaseUrl: undefined });
const move = (source: DatabaseAddress, target: DatabaseAddress, options: Partial<MoveOptions> = {}) =>
  moveDatabase({ source, target, sets: [kinds], derivedTables: [], log, ...options });

async function createSource(address: DatabaseAddress, rows: readonly Row[]): Promise<void> {
  await using database = await openDatabase({ ...address, log });
  await migrate(database, [kinds]);
  await using access = await openTestTables(address);
  const [parent, child] = ['kinds_row', 'a_child'].map(async (name) =>
    (await access.listTables()).find((table) => table.name === name),
  );
  const [rowTable, childTable] = [await parent, await child];
  if (!rowTable || !childTable) throw new Error('the tables are missing');
  await access.fillTable(rowTable, async (insert) => {
    await insert(rows);
    await access.setLastId(rowTable, '5000');
  });
  await access.fillTable(childTable, (insert) => insert(rows.map(([id = null]) => [id])));
}

/** Returns all rows as the server reads them. */
async function readRows(address: DatabaseAddress): Promise<readonly unknown[]> {
  await using database = await openDatabase({ ...address, log });
  await assertNoUnfinishedMove(database.db);
  const { rows } = await sql`select * from kinds_row order by id`.execute(database.db);
  const { rows: children } = await sql`select "row" from a_child order by "row"`.execute(database.db);
  return [...rows, children.length];
}

async function insertNext(address: DatabaseAddress): Promise<unknown> {
  await using database = await openDatabase({ ...address, log });
  const { rows } = await sql`insert into kinds_row (text) values ('next') returning id`.execute(database.db);
  return rows[0];
}

async function clearPostgres({ databaseUrl = '' }: DatabaseAddress): Promise<void> {
  await using access = await openTestTables({ dataDir: folder, databaseUrl });
  await access.query('drop schema public cascade');
  await access.query('create schema public');
}

const MAX_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);
const storableText = string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ' '));
const rowValues = tuple(
  option(bigInt({ min: -MAX_INTEGER, max: MAX_INTEGER }).map(String)),
  option(double({ noNaN: true })),
  option(storableText),
  option(uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes))),
);
/** Each row references the next one. */
const tableRows = array(rowValues, { minLength: 1, maxLength: 600 }).map((all) =>
  all.map((values, index): Row => [
    String(index * 2 + 1),
    index + 1 < all.length ? String(index * 2 + 3) : null,
    ...values,
  ]),
);

async function createTarget({ dataDir, databaseUrl }: TestStorage): Promise<DatabaseAddress> {
  await prepareDatabase(databaseUrl);
  return { dataDir, databaseUrl };
}

const ONE_ROW: readonly Row[] = [['1', null, '2', 0.5, 'text', Buffer.from('bytes')]];

testOnPostgres('rows of every kind are the same after a move to PostgreSQL and back', async (storage) => {
  const target = await createTarget(storage);
  await assert(
    asyncProperty(tableRows, async (rows) => {
      await clearPostgres(target);
      await rm(folder, { recursive: true });
      await createSource(getFolder(), rows);
      const before = await readRows(getFolder());
      const moved = await move(getFolder(), target);
      expect(moved.map((table) => [table.name, table.rows])).toEqual([
        ['a_child', rows.length],
        ['kinds_row', rows.length],
      ]);
      expect(await readRows(target)).toEqual(before);
      await rm(folder, { recursive: true });
      expect(await move(target, getFolder())).toEqual(moved);
      expect(await readRows(getFolder())).toEqual(before);
      expect([await insertNext(target), await insertNext(getFolder())]).toEqual([{ id: 5001 }, { id: 5001 }]);
    }),
    { numRuns: 3 },
  );
});

testOnPostgres('references are checked again after a move', async (storage) => {
  const target = await createTarget(storage);
  await createSource(getFolder(), ONE_ROW);
  await move(getFolder(), target);
  await using database = await openDatabase({ ...target, log });
  await expect(
    database.transaction(async ({ tx }) => {
      await sql`insert into kinds_row (next) values (77)`.execute(tx);
      throw new Error('it was not checked at once');
    }),
  ).rejects.toThrow('violates foreign key');
});

testOnPostgres('an interrupted move is refused by a server, and continues', async (storage) => {
  const target = await createTarget(storage);
  await createSource(getFolder(), ONE_ROW);
  const before = await readRows(getFolder());
  const interrupt = { names: [], fill: async () => Promise.reject(new Error('killed')) };
  await expect(move(getFolder(), target, { derivedTables: [interrupt] })).rejects.toThrow('killed');
  await expect(readRows(target)).rejects.toMatchObject({ code: 'database.move_unfinished' });
  await expect(move(target, { ...target, databaseUrl: undefined })).rejects.toMatchObject({
    code: 'database.move_unfinished',
  });
  await move(getFolder(), target);
  expect(await readRows(target)).toEqual(before);
});

testOnPostgres('what was copied before the source changed is copied again', async (storage) => {
  const target = await createTarget(storage);
  await createSource(getFolder(), ONE_ROW);
  const interrupt = { names: [], fill: async () => Promise.reject(new Error('killed')) };
  await expect(move(getFolder(), target, { derivedTables: [interrupt] })).rejects.toThrow('killed');
  await insertNext(getFolder());
  await move(getFolder(), target);
  expect(await readRows(target)).toEqual(await readRows(getFolder()));
  expect(await readRows(target)).toHaveLength(3);
});

testOnPostgres('a value that PostgreSQL cannot store is refused with its table', async (storage) => {
  const target = await createTarget(storage);
  await createSource(getFolder(), [['1', null, null, null, 'a\0b', null]]);
  await expect(move(getFolder(), target)).rejects.toMatchObject({
    code: 'move.value_unsupported',
    message: expect.stringContaining('kinds_row'),
  });
});

testOnSqlite('a move is refused unless the source is complete and stopped, and the target empty', async (storage) => {
  const source: DatabaseAddress = { dataDir: storage.dataDir, databaseUrl: undefined };
  await expect(move(source, getFolder())).rejects.toMatchObject({ code: 'move.source_empty' });
  await createSource(source, ONE_ROW);
  await expect(move(source, source)).rejects.toMatchObject({ code: 'move.same_database' });
  const newer = { ...kinds, migrations: [...kinds.migrations, { name: '002-more', up: async () => undefined }] };
  await expect(move(source, getFolder(), { sets: [newer] })).rejects.toMatchObject({ code: 'move.source_outdated' });
  await expect(move(source, getFolder(), { sets: [{ ...kinds, migrations: [] }] })).rejects.toMatchObject({
    code: 'database.newer_version',
  });
  {
    await using _server = await openDatabase({ ...source, log });
    await expect(move(source, getFolder())).rejects.toMatchObject({ code: 'database.in_use' });
  }
  {
    await using _server = await openDatabase({ ...getFolder(), log });
    await expect(move(source, getFolder())).rejects.toMatchObject({ code: 'database.in_use' });
  }
  await move(source, getFolder());
  await expect(move(source, getFolder())).rejects.toMatchObject({ code: 'move.target_not_empty' });
  {
    await using database = await openDatabase({ ...source, log });
    await sql`create table of_another_program (id integer)`.execute(database.db);
  }
  await rm(folder, { recursive: true });
  await expect(move(source, getFolder())).rejects.toMatchObject({ code: 'move.schema_differs' });
});

testOnSqlite('a value of another type than its column is refused', async (storage) => {
  const source: DatabaseAddress = { dataDir: storage.dataDir, databaseUrl: undefined };
  await createSource(source, ONE_ROW);
  {
    await using database = await openDatabase({ ...source, log });
    await sql`update kinds_row set count = 1.5`.execute(database.db);
  }
  await expect(move(source, getFolder())).rejects.toMatchObject({
    code: 'move.value_unsupported',
    message: expect.stringContaining('count of kinds_row'),
  });
});

testOnSqlite('a source is read as it was at one moment, whatever another program writes', async () => {
  await createSource(getFolder(), [['1', null, '1', 1, 'one', null]]);
  await using source = openSqliteTables(join(folder, 'data.db'), { isReadOnly: true });
  const [children, rows] = orderByReferences(await source.listTables()).toReversed();
  if (!children || !rows) throw new Error('the tables are missing');
  const before = await computeTableDigest(source, rows);
  {
    await using database = await openDatabase({ ...getFolder(), log });
    await sql`insert into kinds_row (id, text) values (2, 'two')`.execute(database.db);
    await sql`insert into a_child (row) values (2)`.execute(database.db);
  }
  expect((await computeTableDigest(source, children)).rows).toBe(1);
  expect(await computeTableDigest(source, rows)).toEqual(before);
});

testOnSqlite('a target that cannot be reached is named as the option', async () => {
  await createSource(getFolder(), []);
  const databaseUrl = 'postgres://someone:hush@127.0.0.1:1/none';
  const moving = move(getFolder(), { ...getFolder(), databaseUrl });
  await expect(moving).rejects.toThrow('Check --to, and that the database is running');
  await expect(moving).rejects.not.toThrow('hush');
});
