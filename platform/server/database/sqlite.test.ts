import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { testOnSqlite, type TestStorage } from '#testing/kits/server/database.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import type { Database } from './database.ts';
import { openSqlite } from './sqlite.ts';
import { assertPragmas, setPragmas } from './sqliteConnection.ts';
import { startWriterThread } from './writeQueue.ts';

const silent = pino({ level: 'silent' });

/** Another server, which opens the folder in its first argument. */
const OTHER_SERVER = `
  import { pino } from 'pino';
  import { openSqlite } from '#platform/server/database/sqlite.ts';
  await openSqlite({ dataDir: process.argv[1], log: pino({ level: 'silent' }), onFatal: () => undefined });
  console.log('open');
  setInterval(() => undefined, 1000);`;

const readPragma = async ({ db }: Database, name: string): Promise<unknown> =>
  Object.values((await sql<object>`pragma ${sql.raw(name)}`.execute(db)).rows[0] ?? {})[0];

const getMode = (path: string): number => statSync(path).mode & 0o777;

/** Creates a closed database with rows on many pages. */
async function fillDatabase({ open }: TestStorage): Promise<void> {
  await using database = await open();
  await sql`create table parent (id integer primary key, text text)`.execute(database.db);
  await sql`create table child (parent integer references parent (id))`.execute(database.db);
  await database.transaction(async ({ tx }) => {
    for (let index = 0; index < 200; index += 1)
      await sql`insert into parent (text) values (${'x'.repeat(500)})`.execute(tx);
  });
}

testOnSqlite('the writing connection is durable, also after the first transactions', async ({ open }) => {
  await using database = await open();
  await sql`create table t (x integer)`.execute(database.db);
  await database.transaction(async ({ tx }) => sql`insert into t values (1)`.execute(tx));
  expect({
    journal_mode: await readPragma(database, 'journal_mode'),
    synchronous: await readPragma(database, 'synchronous'),
    busy_timeout: await readPragma(database, 'busy_timeout'),
    foreign_keys: await readPragma(database, 'foreign_keys'),
    journal_size_limit: await readPragma(database, 'journal_size_limit'),
    secure_delete: await readPragma(database, 'secure_delete'),
    trusted_schema: await readPragma(database, 'trusted_schema'),
    wal_autocheckpoint: await readPragma(database, 'wal_autocheckpoint'),
  }).toEqual({
    journal_mode: 'wal',
    synchronous: 2,
    busy_timeout: 5000,
    foreign_keys: 1,
    journal_size_limit: 67_108_864,
    secure_delete: 1,
    trusted_schema: 0,
    wal_autocheckpoint: 0,
  });
});

testOnSqlite('the log of a database stays small during many writes', async ({ open, dataDir }) => {
  await using database = await open();
  await sql`create table t (text text)`.execute(database.db);
  for (let round = 0; round < 40; round += 1)
    await sql`insert into t values (${'x'.repeat(1_000_000)})`.execute(database.db);
  expect(statSync(join(dataDir, 'data.db-wal')).size).toBeLessThan(10_000_000);
});

testOnSqlite('a query with a CTE runs during a write, and one that changes rows changes them', async ({ open }) => {
  await using database = await open();
  const { db } = database;
  await sql`create table t (x integer)`.execute(db);
  const backup = Promise.withResolvers<void>();
  const transaction = database.transaction(async ({ tx }) => {
    await sql`insert into t values (1)`.execute(tx);
    await backup.promise;
  });
  const { rows } = await sql`with two (x) as (values (1), (2)) select x from two`.execute(db);
  expect(rows).toEqual([{ x: 1 }, { x: 2 }]);
  backup.resolve();
  await transaction;
  await sql`with three (x) as (values (3)) insert into t select x from three`.execute(db);
  expect((await sql`select x from t order by x`.execute(db)).rows).toEqual([{ x: 1 }, { x: 3 }]);
});

testOnSqlite('a connection that flushes too little is refused', async ({ dataDir }) => {
  const file = new Sqlite(join(dataDir, 'other.db'));
  setPragmas(file);
  assertPragmas(file);
  file.pragma('synchronous = NORMAL');
  expect(() => assertPragmas(file)).toThrow('SQLite reports synchronous = 1 instead of 2');
  file.close();
});

testOnSqlite('folder and files are private to their owner, whatever they were before', async ({ open, dataDir }) => {
  chmodSync(dataDir, 0o755);
  writeFileSync(join(dataDir, 'data.db'), '', { mode: 0o644 });
  await using database = await open();
  await sql`create table t (x integer)`.execute(database.db);
  expect(getMode(dataDir)).toBe(0o700);
  const files = readdirSync(dataDir).filter((name) => name.includes('.db'));
  expect(files.toSorted()).toEqual(['data.db', 'data.db-shm', 'data.db-wal', 'lock.db']);
  for (const name of files) expect([name, getMode(join(dataDir, name))]).toEqual([name, 0o600]);
});

testOnSqlite('closing leaves one complete file and no log', async (storage) => {
  await fillDatabase(storage);
  expect(readdirSync(storage.dataDir).toSorted()).toEqual(['data.db', 'lock.db']);
});

testOnSqlite('a killed server releases its folder immediately', async ({ open, dataDir }) => {
  const otherServer = spawn(process.execPath, ['--input-type=module', '-e', OTHER_SERVER, dataDir]);
  await once(otherServer.stdout, 'data');
  await expect(open()).rejects.toThrow(`Another Pegboard is using the folder ${dataDir}. Stop it`);
  otherServer.kill('SIGKILL');
  await once(otherServer, 'exit');
  await using database = await open();
  await database.ping();
});

testOnSqlite('a damaged file is refused with advice, and opens once replaced', async (storage) => {
  const { open, dataDir } = storage;
  await fillDatabase(storage);
  const path = join(dataDir, 'data.db');
  copyFileSync(path, `${path}.copy`);
  truncateSync(path, statSync(path).size - 8192);
  await expect(open()).rejects.toThrow(/is damaged .*restore the newest backup/s);
  await expect(open()).rejects.toBeInstanceOf(Refusal);
  copyFileSync(`${path}.copy`, path);
  await using database = await open();
  await database.ping();
});

testOnSqlite('a file that is not a database is refused and stays unchanged', async ({ open, dataDir }) => {
  const path = join(dataDir, 'data.db');
  writeFileSync(path, 'Dear diary, '.repeat(1000));
  await expect(open()).rejects.toThrow('is damaged');
  expect(statSync(path).size).toBe(12_000);
});

testOnSqlite("another program's database is refused", async ({ open, dataDir }) => {
  const file = new Sqlite(join(dataDir, 'data.db'));
  file.pragma('application_id = 7');
  file.close();
  await expect(open()).rejects.toThrow('the database of another program');
});

testOnSqlite('rows with missing parents are refused with the name of their table', async (storage) => {
  await fillDatabase(storage);
  const file = new Sqlite(join(storage.dataDir, 'data.db'));
  file.pragma('foreign_keys = OFF');
  file.exec('insert into child (parent) values (4711)');
  file.close();
  await expect(storage.open()).rejects.toThrow('rows of child belong to rows of parent that are gone');
});

testOnSqlite('a folder that cannot be created is refused with the reason', async ({ open, dataDir }) => {
  writeFileSync(join(dataDir, 'file'), '');
  await expect(open({ dataDir: join(dataDir, 'file', 'below') })).rejects.toThrow('Set DATA_DIR');
});

testOnSqlite('a very large database is checked while the server is running', async (storage) => {
  await fillDatabase(storage);
  const { dataDir } = storage;
  const file = new Sqlite(join(dataDir, 'data.db'));
  file.pragma('foreign_keys = OFF');
  file.exec('insert into child (parent) values (4711)');
  file.close();
  const damage = Promise.withResolvers<Error>();
  const database = await openSqlite({ dataDir, log: silent, onFatal: damage.resolve, maxStartupCheckBytes: 0 });
  expect((await damage.promise).message).toContain('rows of child belong to rows of parent');
  await database[Symbol.asyncDispose]();
});

testOnSqlite(
  'a transaction that waits for something else is rolled back, and later writes continue',
  async ({ dataDir }) => {
    await using database = await openSqlite({ dataDir, log: silent, onFatal: () => undefined, idleMs: 20 });
    await sql`create table t (x integer)`.execute(database.db);
    const never = Promise.withResolvers<void>();
    const transaction = database.transaction(async ({ tx }) => {
      await sql`insert into t values (1)`.execute(tx);
      await never.promise;
      await sql`insert into t values (2)`.execute(tx);
    });
    await sql`insert into t values (3)`.execute(database.db);
    never.resolve();
    await expect(transaction).rejects.toThrow('asked nothing of the database for 20 ms');
    expect((await sql`select x from t`.execute(database.db)).rows).toEqual([{ x: 3 }]);
  },
);

testOnSqlite('a full disk only fails the write, and deleting makes space without a restart', async ({ open }) => {
  await using database = await open();
  const { db } = database;
  await sql`create table t (id integer primary key, text text)`.execute(db);
  await sql`pragma max_page_count = 200`.execute(db);
  const write = async () => sql`insert into t (text) values (${'x'.repeat(3000)})`.execute(db);
  let storedCount = 0;
  async function fillDisk(): Promise<void> {
    for (;;) {
      await write();
      storedCount += 1;
    }
  }
  await expect(fillDisk()).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  expect((await sql`select count(*) as count from t`.execute(db)).rows).toEqual([{ count: storedCount }]);
  // Concurrent writes share one commit, and one must not fail the others.
  const writes = Promise.allSettled([write(), sql`update t set text = 'y' where id <= 50`.execute(db), write()]);
  expect((await writes).map(({ status }) => status)).toContain('fulfilled');
  await sql`delete from t where id <= 100`.execute(db);
  await write();
});

/** Lists files of the database that contain the text. */
const listFilesWith = (dataDir: string, text: string): string[] =>
  readdirSync(dataDir).filter((name) => name !== 'lock.db' && readFileSync(join(dataDir, name)).includes(text));

/** Starts a backup, which sees the rows as they are now. */
function startBackup(dataDir: string): Sqlite.Database {
  const reader = new Sqlite(join(dataDir, 'data.db'), { readonly: true });
  reader.exec('begin');
  reader.prepare('select count(*) from t').get();
  return reader;
}

testOnSqlite('rows deleted during a backup are erased after it, and nothing waits for that', async (storage) => {
  const { dataDir } = storage;
  const timers = createManualTimers();
  await using database = await openSqlite({ dataDir, log: silent, onFatal: () => undefined, timers });
  const { db } = database;
  await sql`create table t (text text)`.execute(db);
  await sql`insert into t values ('Tr0ub4dor')`.execute(db);
  const reader = startBackup(dataDir);
  await sql`delete from t`.execute(db);
  const started = performance.now();
  await database.eraseDeleted();
  await sql`insert into t values ('behind it')`.execute(db);
  // SQLite itself would wait for 5 s.
  expect(performance.now() - started).toBeLessThan(4500);
  timers.advance(60_000);
  await sql`insert into t values ('and more')`.execute(db);
  expect(listFilesWith(dataDir, 'Tr0ub4dor')).not.toEqual([]);
  reader.close();
  timers.advance(60_000);
  await expect.poll(() => listFilesWith(dataDir, 'Tr0ub4dor')).toEqual([]);
  expect(await readPragma(database, 'busy_timeout')).toBe(5000);
});

testOnSqlite('rows that a backup kept from being erased are erased at the next start', async ({ dataDir }) => {
  const options = { dataDir, log: silent, onFatal: () => undefined };
  const thread = await startWriterThread(
    { path: join(dataDir, 'data.db'), shouldCheckIntegrity: true },
    { onExit: () => undefined, onDiskFull: () => undefined },
  );
  const run = (text: string) => thread.send({ kind: 'batch', statements: [{ sql: text, parameters: [] }] });
  await run('create table t (text text)');
  await run("insert into t values ('Tr0ub4dor')");
  const reader = startBackup(dataDir);
  await run('delete from t');
  // Copied in the state that a killed server leaves.
  const copies = ['data.db', 'data.db-wal'].map((name) => [name, readFileSync(join(dataDir, name))] as const);
  reader.close();
  await thread.close();
  for (const [name, bytes] of copies) writeFileSync(join(dataDir, name), bytes);
  expect(listFilesWith(dataDir, 'Tr0ub4dor')).not.toEqual([]);
  await using _ = await openSqlite(options);
  await expect.poll(() => listFilesWith(dataDir, 'Tr0ub4dor')).toEqual([]);
});

testOnSqlite('a thread that dies fails pending writes, and reports it once', async ({ dataDir }) => {
  const exitErrors: Error[] = [];
  const thread = await startWriterThread(
    { path: join(dataDir, 'data.db'), shouldCheckIntegrity: true },
    {
      onExit: (error) => exitErrors.push(error),
      onDiskFull: () => undefined,
    },
  );
  const brokenRequest = thread.send({ kind: 'batch', statements: null as never });
  const pendingRequest = thread.send({ kind: 'begin' });
  await expect(brokenRequest).rejects.toThrow('the writing thread of the database has ended');
  await expect(pendingRequest).rejects.toThrow('the writing thread of the database has ended');
  await expect(thread.send({ kind: 'begin' })).rejects.toThrow('has ended');
  await thread.close();
  expect(exitErrors).toHaveLength(1);
});
