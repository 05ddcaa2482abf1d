import { chmodSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Refusal } from '#platform/contract/refusal.ts';

/** Above this size the check would delay the start, so it runs while the server is already in use. */
export const MAX_STARTUP_CHECK_BYTES = 1024 ** 3;

/** Checks for damage. @throws Refusal that describes the damage and what to do. */
export function assertIntact(database: Sqlite.Database): void {
  const result = database.pragma('quick_check(1)', { simple: true });
  if (result !== 'ok') throw createDamageRefusal(database.name, String(result));
  const [orphan] = database.prepare('select "table", parent from pragma_foreign_key_check').raw().all();
  if (Array.isArray(orphan))
    throw createDamageRefusal(database.name, `rows of ${orphan[0]} belong to rows of ${orphan[1]} that are gone`);
}

/** Turns errors about damaged or foreign database files into a refusal, and returns other errors unchanged. */
export function explainDamage(path: string, error: unknown): unknown {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)
    ? createDamageRefusal(path, error.message)
    : error;
}

const createDamageRefusal = (path: string, details: string): Refusal =>
  new Refusal(
    'database.damaged',
    `The database ${path} is damaged (${details.replaceAll('\n', ' ')}). Move it and its -wal and -shm files away, restore the newest backup, and start again`,
  );

/** An SQL statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const MAX_CACHED_STATEMENTS = 300;

/** Runs statements on a connection and caches prepared ones. SQLite recompiles them after schema changes. */
export function createStatementCache(database: Sqlite.Database) {
  const statements = new LRUCache<string, Sqlite.Statement>({ max: MAX_CACHED_STATEMENTS });
  function prepare(sql: string): Sqlite.Statement {
    const cached = statements.get(sql);
    if (cached) return cached;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }
  return {
    /** Whether SQLite considers the statement read-only, whatever word it starts with. */
    isReadOnly: (sql: string): boolean => prepare(sql).readonly,
    perform: ({ sql, parameters }: Statement): QueryResult<unknown> => {
      const statement = prepare(sql);
      if (statement.reader) return { rows: statement.all(...parameters) };
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
  };
}

/**
 * Locks a file until the lock is disposed of or the process ends in any way. Undefined if another one has the lock.
 */
export function acquireFileLock(path: string): Disposable | undefined {
  const file = new Sqlite(path, { timeout: 0 });
  try {
    chmodSync(path, 0o600);
    // Nothing is written, so the folder needs no journal.
    file.pragma('journal_mode = MEMORY');
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => void file.close() };
}

export const BUSY_TIMEOUT_MS = 5000;

/** Values to set and values that SQLite then reports, by name. `synchronous` 2 is FULL. */
const PRAGMAS = {
  journal_mode: ['WAL', 'wal'],
  synchronous: ['FULL', 2],
  busy_timeout: [BUSY_TIMEOUT_MS, BUSY_TIMEOUT_MS],
  foreign_keys: ['ON', 1],
  journal_size_limit: [67_108_864, 67_108_864],
  secure_delete: ['ON', 1],
  wal_autocheckpoint: [0, 0], // the writer thread does it after its answer
  trusted_schema: ['OFF', 0],
} as const;

/** Configures a connection so that committed writes are durable (docs/design/reliability.md section 2.1). */
export function setPragmas(database: Sqlite.Database): void {
  for (const [name, [value]] of Object.entries(PRAGMAS)) database.pragma(`${name} = ${value}`);
}

/**
 * Checks the pragmas. Call it again after the first write, when some builds of SQLite reset `synchronous` to NORMAL.
 * @throws Refusal if a pragma has another value.
 */
export function assertPragmas(database: Sqlite.Database): void {
  for (const [name, [, expected]] of Object.entries(PRAGMAS)) {
    const value = database.pragma(name, { simple: true });
    if (value !== expected)
      throw new Refusal(
        'database.unsafe_setting',
        `SQLite reports ${name} = ${String(value)} instead of ${expected}, so confirmed writes could be lost in this folder. Put DATA_DIR on a local disk`,
      );
  }
}
