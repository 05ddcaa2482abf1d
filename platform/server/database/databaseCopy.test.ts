import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testOnBothDatabases, testOnPostgres, testOnSqlite } from '#testing/kits/server/database.ts';
import type { DatabaseCopy } from './databaseCopy.ts';
import { checkPostgresDump, dumpPostgres } from './postgresDump.ts';
import { checkSqliteCopy, copySqlite } from './sqliteCopy.ts';

interface Source {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}
const copyDatabase = async ({ dataDir, databaseUrl }: Source): Promise<DatabaseCopy> =>
  databaseUrl === undefined ? copySqlite(dataDir, folder) : dumpPostgres(databaseUrl, folder);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pegboard-copy-'));
});
afterEach(async () => rm(folder, { recursive: true }));

testOnBothDatabases(
  'a copy has the rows of every table, and its file is private',
  async ({ open: openDatabase, ...source }) => {
    await using database = await openDatabase();
    await sql`create table note (id integer primary key, text text)`.execute(database.db);
    await sql`create table "odd table" (id integer primary key)`.execute(database.db);
    await sql`insert into note (id, text) values (1, 'one'), (2, ${'COPY x (a) FROM stdin;\n\\.\n'}), (3, null)`.execute(
      database.db,
    );
    const copy = await copyDatabase(source);
    expect(copy.rows).toMatchObject({ note: 3, 'odd table': 0 });
    const path = join(folder, copy.file);
    expect(await (source.dialect === 'sqlite' ? checkSqliteCopy(path) : checkPostgresDump(path))).toEqual(copy.rows);
    await using file = await open(path);
    expect((await file.stat()).mode & 0o077).toBe(0);
  },
);

testOnPostgres('a copy that is aborted is not waited for', async ({ open: openDatabase, databaseUrl = '' }) => {
  await using database = await openDatabase();
  await sql`create table note (id integer)`.execute(database.db);
  await expect(dumpPostgres(databaseUrl, folder, AbortSignal.abort())).rejects.toThrow('aborted');
});

testOnSqlite('a damaged copy is noticed', async ({ open: openDatabase, ...source }) => {
  await using database = await openDatabase();
  await sql`create table note (id integer primary key, text text)`.execute(database.db);
  for (let count = 0; count < 50; count += 1)
    await sql`insert into note (text) values (hex(randomblob(2000)))`.execute(database.db);
  const path = join(folder, (await copyDatabase(source)).file);
  {
    await using file = await open(path, 'r+');
    await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, 8 * 4096);
  }
  expect(() => checkSqliteCopy(path)).toThrow(/damaged|malformed/);
});

testOnPostgres('without pg_dump, a sentence says what to install', async ({ open: openDatabase, ...source }) => {
  await using _ = await openDatabase();
  const path = process.env['PATH'];
  process.env['PATH'] = '/nonexistent';
  try {
    await expect(copyDatabase(source)).rejects.toThrow('need pg_dump, which is not installed. Install PostgreSQL');
  } finally {
    process.env['PATH'] = path;
  }
});

test('a file that is no database is refused', async () => {
  await using file = await open(join(folder, 'data.db'), 'w');
  await file.write('this is a text, and no database at all');
  expect(() => checkSqliteCopy(join(folder, 'data.db'))).toThrow('not a database');
});
