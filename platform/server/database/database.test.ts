import { AsyncResource } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Generated, type Kysely } from 'kysely';
import { pino } from 'pino';
import { expect } from 'vitest';
import { testOnBothDatabases, testOnPostgres, testOnSqlite } from '#testing/kits/server/database.ts';
import { idColumn, referenceAccount } from './columns.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';

type Tables = {
  account: { id: Generated<number>; name: string; created: number };
  note_line: { id: Generated<number>; account: number; text: string };
};

const migrations = [
  {
    name: '001-tables',
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('account')
        .$call(idColumn(db))
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('note_line')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('text', 'text', (column) => column.notNull())
        .execute();
    },
  },
];

async function createTables(database: Database): Promise<Kysely<Tables>> {
  await migrate(database, [{ name: 'test', migrations }]);
  return database.db.$extendTables<Tables>();
}

const addAccount = async (db: Kysely<Tables>, name: string, created = 0): Promise<number> =>
  (await db.insertInto('account').values({ name, created }).returning('id').executeTakeFirstOrThrow()).id;

const listNames = async (db: Kysely<Tables>): Promise<string[]> =>
  (await db.selectFrom('account').select('name').orderBy('id').execute()).map(({ name }) => name);

/** Creates a promise and its resolver, for a test that keeps a transaction open. */
const createGate = () => Promise.withResolvers<void>();

testOnBothDatabases('ids count up and are never reused', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  expect([await addAccount(db, 'a'), await addAccount(db, 'b')]).toEqual([1, 2]);
  await db.deleteFrom('account').where('name', '=', 'b').execute();
  expect(await addAccount(db, 'c')).toBe(3);
});

testOnBothDatabases('large integers, sums and counts are returned as numbers', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  await addAccount(db, 'a', Number.MAX_SAFE_INTEGER - 1);
  await addAccount(db, 'b', 1);
  const totals = await db
    .selectFrom('account')
    .select(({ fn }) => [fn.sum<number>('created').as('sum'), fn.countAll<number>().as('count')])
    .executeTakeFirstOrThrow();
  expect(totals).toEqual({ sum: Number.MAX_SAFE_INTEGER, count: 2 });
  const row = await db.selectFrom('account').select('created').where('name', '=', 'a').executeTakeFirstOrThrow();
  expect(row.created).toBe(Number.MAX_SAFE_INTEGER - 1);
});

testOnBothDatabases('an update and a delete return the number of affected rows', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  await addAccount(db, 'a');
  await addAccount(db, 'b');
  const updated = await db.updateTable('account').set({ created: 5 }).executeTakeFirstOrThrow();
  const deleted = await db.deleteFrom('account').where('name', '=', 'none').executeTakeFirstOrThrow();
  expect([updated.numUpdatedRows, deleted.numDeletedRows]).toEqual([2n, 0n]);
});

testOnBothDatabases('rows of an account are deleted with it, and require one', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  const account = await addAccount(db, 'a');
  await db.insertInto('note_line').values({ account, text: 'x' }).execute();
  await db.deleteFrom('account').where('id', '=', account).execute();
  expect(await db.selectFrom('note_line').selectAll().execute()).toEqual([]);
  await expect(db.insertInto('note_line').values({ account, text: 'x' }).execute()).rejects.toThrow(/foreign key/i);
});

testOnBothDatabases('a refused statement rejects with the code of its database', async ({ open, dialect }) => {
  await using database = await open();
  const db = await createTables(database);
  await addAccount(db, 'a');
  const code = dialect === 'sqlite' ? 'SQLITE_CONSTRAINT_UNIQUE' : '23505';
  await expect(addAccount(db, 'a')).rejects.toMatchObject({ code });
  await expect(
    database.transaction(async ({ tx }) => addAccount(tx.$extendTables<Tables>(), 'a')),
  ).rejects.toMatchObject({
    code,
  });
  expect(await listNames(db)).toEqual(['a']);
});

testOnBothDatabases('a logged error does not contain the written values', async ({ open, logLines }) => {
  await using database = await open();
  const db = await createTables(database);
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const lines: string[] = [];
  await addAccount(db, 'words of mine');
  const refused = [
    addAccount(db, 'words of mine'),
    sql`insert into account (name, created) values (${'words of mine'}, ${null})`.execute(db),
  ];
  await Promise.all(refused.map((query) => query.catch((err: unknown) => log.error({ err }, 'failed'))));
  if (database.dialect === 'postgres')
    await sql`insert into account (name, created) values ('a', ${'words of mine'})`
      .execute(db)
      .catch((err: unknown) => log.error({ err }, 'failed'));
  expect(lines).toHaveLength(database.dialect === 'postgres' ? 3 : 2);
  expect([...lines, ...logLines].join('\n')).not.toContain('words of mine');
});

testOnBothDatabases('a query for a text with a null character finds nothing', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  await addAccount(db, 'a', 1);
  const getCreated = (name: string) => db.selectFrom('account').select('created').where('name', '=', name).execute();
  expect(await getCreated('a\0')).toEqual([]);
  expect(await getCreated('\0')).toEqual([]);
  expect(await getCreated('a')).toEqual([{ created: 1 }]);
});

testOnBothDatabases('one bad write among many concurrent ones fails alone', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  const outcomes = await Promise.allSettled(['a', 'b', 'a', 'c'].map(async (name) => addAccount(db, name)));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  expect((await listNames(db)).toSorted()).toEqual(['a', 'b', 'c']);
});

testOnBothDatabases('a failed transaction leaves nothing, and skips its work after the commit', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  const events: string[] = [];
  const failing = database.transaction(async ({ tx, afterCommit }) => {
    afterCommit(() => void events.push('done'));
    await addAccount(tx.$extendTables<Tables>(), 'a');
    throw new Error('thought better of it');
  });
  await expect(failing).rejects.toThrow('thought better of it');
  expect(events).toEqual([]);
  expect(await listNames(db)).toEqual([]);
});

testOnBothDatabases('work after the commit runs in order, once the rows are stored', async ({ open, logLines }) => {
  await using database = await open();
  const db = await createTables(database);
  const events: string[] = [];
  const id = await database.transaction(async ({ tx, afterCommit }) => {
    afterCommit(() => void events.push('first'));
    afterCommit(() => {
      throw new Error('a listener is broken');
    });
    afterCommit(() => void events.push('last'));
    const newId = await addAccount(tx.$extendTables<Tables>(), 'a');
    expect(events).toEqual([]);
    return newId;
  });
  expect(events).toEqual(['first', 'last']);
  expect(await listNames(db)).toEqual(['a']);
  expect(id).toBe(1);
  expect(logLines.filter((line) => line.includes('a listener is broken'))).toHaveLength(1);
});

testOnBothDatabases('a transaction sees its own rows, others only after its end', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  const writeGate = createGate();
  const readGate = createGate();
  const transaction = database.transaction(async ({ tx }) => {
    const tables = tx.$extendTables<Tables>();
    await addAccount(tables, 'a');
    expect(await listNames(tables)).toEqual(['a']);
    writeGate.resolve();
    await readGate.promise;
  });
  await writeGate.promise;
  expect(await listNames(db)).toEqual([]);
  readGate.resolve();
  await transaction;
  expect(await listNames(db)).toEqual(['a']);
});

testOnBothDatabases('concurrent transactions lose no update', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  await addAccount(db, 'a');
  const increment = async () =>
    database.transaction(async ({ tx }) => {
      const tables = tx.$extendTables<Tables>();
      const locked = tables.selectFrom('account').select('created').where('name', '=', 'a');
      const { created } = await (
        database.dialect === 'postgres' ? locked.forUpdate() : locked
      ).executeTakeFirstOrThrow();
      await tables
        .updateTable('account')
        .set({ created: created + 1 })
        .where('name', '=', 'a')
        .execute();
    });
  for (let round = 0; round < 2; round += 1) await Promise.all(Array.from({ length: 10 }, increment));
  expect(await db.selectFrom('account').select('created').execute()).toEqual([{ created: 20 }]);
});

testOnBothDatabases('a write is visible to each read that starts after its answer', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  let visibleCount = 0;
  for (let index = 0; index < 250; index += 1) {
    const id = await addAccount(db, `n${index}`);
    if (await db.selectFrom('account').select('id').where('id', '=', id).executeTakeFirst()) visibleCount += 1;
  }
  expect(visibleCount).toBe(250);
});

testOnBothDatabases(
  'a nested transaction and a query outside of it are refused immediately instead of deadlocking',
  async ({ open }) => {
    await using database = await open();
    const db = await createTables(database);
    const nested = database.transaction(async () => database.transaction(async () => 'inner'));
    await expect(nested).rejects.toThrow('open no second one');
    for (const query of [async () => addAccount(db, 'a'), async () => listNames(db)])
      await expect(database.transaction<unknown>(query)).rejects.toThrow('have every query go by its `tx`');
    expect(await listNames(db)).toEqual([]);
    expect(await database.transaction(async () => 'later')).toBe('later');
  },
);

testOnBothDatabases('stored rows exist after closing and reopening', async ({ open }) => {
  const text = 'Grüße, "мир" — 你好 👋';
  {
    await using database = await open();
    await addAccount(await createTables(database), text);
  }
  await using database = await open();
  expect(await listNames(await createTables(database))).toEqual([text]);
});

testOnBothDatabases('bytes are returned unchanged, also inside a transaction', async ({ open, dialect }) => {
  await using database = await open();
  const type = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
  await sql`create table thing (bytes ${type})`.execute(database.db);
  const bytes = Buffer.from([0, 1, 254, 255]);
  await sql`insert into thing (bytes) values (${bytes})`.execute(database.db);
  const outside = await sql<{ bytes: Buffer }>`select bytes from thing`.execute(database.db);
  const inside = await database.transaction(async ({ tx }) =>
    sql<{ bytes: Buffer }>`select bytes from thing`.execute(tx),
  );
  for (const { rows } of [outside, inside]) expect(rows[0]?.bytes.equals(bytes)).toBe(true);
});

testOnBothDatabases('ping succeeds while the database is open, and fails once it is closed', async ({ open }) => {
  const database = await open();
  await database.ping();
  await database[Symbol.asyncDispose]();
  await expect(database.ping()).rejects.toThrow();
});

testOnBothDatabases('a second server is refused until the first one has closed', async ({ open, dialect }) => {
  {
    await using first = await open();
    await expect(open()).rejects.toThrow(
      dialect === 'sqlite' ? /Another Pegboard is using the folder/ : /Another Pegboard is using/,
    );
    await first.ping();
  }
  await using later = await open();
  await later.ping();
});

testOnPostgres('a server waits for the lock of a killed server', async ({ open }) => {
  const first = await open();
  const closing = delay(2000).then(() => first[Symbol.asyncDispose]());
  await using next = await open();
  await closing;
  await next.ping();
});

testOnSqlite('concurrent writes are stored in the order of the calls', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  const newNames = Array.from({ length: 300 }, (_, index) => `n${index}`);
  const ids = await Promise.all(newNames.map(async (name) => addAccount(db, name)));
  expect(ids).toEqual(newNames.map((_, index) => index + 1));
  expect(await listNames(db)).toEqual(newNames);
});

testOnSqlite('a write during a transaction waits for its end', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  const started = createGate();
  const canContinue = createGate();
  const transaction = database.transaction(async ({ tx }) => {
    await addAccount(tx.$extendTables<Tables>(), 'first');
    started.resolve();
    await canContinue.promise;
    await addAccount(tx.$extendTables<Tables>(), 'second');
  });
  await started.promise;
  const otherWrite = addAccount(db, 'third');
  canContinue.resolve();
  await Promise.all([transaction, otherWrite]);
  expect(await listNames(db)).toEqual(['first', 'second', 'third']);
});

testOnPostgres('an aborted transaction is retried, and only its last run counts', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  const events: number[] = [];
  let runCount = 0;
  await database.transaction(async ({ tx, afterCommit }) => {
    runCount += 1;
    const run = runCount;
    afterCommit(() => void events.push(run));
    await addAccount(tx.$extendTables<Tables>(), `run ${run}`);
    if (run === 1) await sql`do $$ begin raise exception 'stop' using errcode = '40001'; end $$`.execute(tx);
    if (run === 2) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
  });
  expect(events).toEqual([3]);
  expect(await listNames(db)).toEqual(['run 3']);
});

testOnPostgres('a transaction that is aborted each time fails after three retries', async ({ open }) => {
  await using database = await open();
  let runCount = 0;
  const stopped = database.transaction(async ({ tx }) => {
    runCount += 1;
    await sql`do $$ begin raise exception 'stop' using errcode = '40P01'; end $$`.execute(tx);
  });
  await expect(stopped).rejects.toMatchObject({ code: '40P01' });
  expect(runCount).toBe(4);
});

testOnPostgres('broken connections, idle or busy, only affect their own work', async ({ open }) => {
  await using database = await open();
  const db = await createTables(database);
  const killOthers = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (state like 'idle in transaction%' or pid in (select pid from pg_locks where locktype = 'advisory'))`;
  let runCount = 0;
  // Kills the connections of the transaction and of the instance lock.
  const kill = AsyncResource.bind(() => killOthers.execute(database.db));
  await database.transaction(async ({ tx }) => {
    runCount += 1;
    await addAccount(tx.$extendTables<Tables>(), 'a');
    if (runCount === 1) await kill();
    await sql`select 1`.execute(tx);
  });
  expect(runCount).toBe(2);
  expect(await listNames(db)).toEqual(['a']);
  const locks = sql`select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where locktype = 'advisory' and datname = current_database()`;
  await expect.poll(async () => (await locks.execute(db)).rows).toHaveLength(1);
});

testOnPostgres('a database that can lose committed writes is refused', async ({ open, databaseUrl }) => {
  {
    await using database = await open();
    await sql`do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`.execute(
      database.db,
    );
  }
  expect(databaseUrl).toBeDefined();
  await expect(open()).rejects.toThrow('PostgreSQL has synchronous_commit = off');
});

testOnPostgres('an unreachable address is refused without showing its password', async ({ open }) => {
  const opening = open({ databaseUrl: 'postgres://someone:hush@127.0.0.1:1/none' });
  await expect(opening).rejects.toThrow('Check DATABASE_URL');
  await expect(opening).rejects.not.toThrow('hush');
});

testOnBothDatabases('the size is reported, and grows with the data', async ({ open }) => {
  await using database = await open();
  await sql`create table t (x text)`.execute(database.db);
  const before = await database.getSizeBytes();
  await database.transaction(async ({ tx }) => {
    for (let index = 0; index < 100; index += 1) await sql`insert into t values (${'x'.repeat(5000)})`.execute(tx);
  });
  expect(await database.getSizeBytes()).toBeGreaterThan(before);
});
