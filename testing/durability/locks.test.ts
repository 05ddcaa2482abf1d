import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect } from 'vitest';
import { openSqlite } from '#platform/server/database/sqlite.ts';
import { testOnSqlite } from '../kits/server/database.ts';

/** Number of kernel locks on a file. */
function locksOn(path: string): number {
  const { ino } = statSync(path);
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.includes(`:${ino} `)).length;
}

function onFatal(error: Error): void {
  throw error;
}

testOnSqlite('the database files are locked while the database is open, and only then', async (storage) => {
  const { dataDir } = storage;
  // Checks a large file, which opens and closes a second connection.
  const database = await openSqlite({ dataDir, log: pino({ level: 'silent' }), onFatal, maxStartupCheckBytes: -1 });
  // Checked twice: the kernel returns its list in chunks, and can miss a line between two of them.
  const isLocked = (name: string): boolean => [1, 2].some(() => locksOn(join(dataDir, name)) > 0);
  const getLocks = () => ({ folder: isLocked('lock.db'), log: isLocked('data.db-shm') });
  await sql`create table t (x integer)`.execute(database.db);
  for (let index = 0; index < 200; index += 1) {
    await database.transaction(async ({ tx }) => sql`insert into t values (${index})`.execute(tx));
    await sql`select * from t`.execute(database.db);
    expect(getLocks()).toEqual({ folder: true, log: true });
  }
  await database[Symbol.asyncDispose]();
  expect(locksOn(join(dataDir, 'lock.db'))).toBe(0);
});
