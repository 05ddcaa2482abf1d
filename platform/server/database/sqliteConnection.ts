import Sqlite from 'better-sqlite3';
import type { QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Refusal } from '#platform/contract/refusal.ts';

/** Above this size the check would delay the start, so it runs beside the server. */
export const MAX_STARTUP_CHECK_BYTES = 1024 ** 3;

/** Checks for damage. @throws Refusal that describes the damage and what to do. */
export function assertIntact(file: Sqlite.Database): void {
  const result = file.pragma('quick_check(1)', { simple: true });
  if (result !== 'ok') throw createDamageRefusal(file.name, String(result));
  const [orphan] = file.prepare('select "table", parent from pragma_foreign_key_check').raw().all();
  if (Array.isArray(orphan))
    throw createDamageRefusal(file.name, `rows of ${orphan[0]} belong to rows of ${orphan[1]} that are gone`);
}

/** Turns errors about damaged or foreign database files into a refusal, and returns other errors unchanged. */
export function explainDamage(path: string, error: unknown): unknown {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)
    ? createDamageRefusal(path, error.message)
    : error;
}

const createDamageRefusal = (path: string, what: string): Refusal =>
  new Refusal(
    'database.damaged',
    `The database ${path} is damaged (${what.replaceAll('\n', ' ')}). Move it and its -wal and -shm files away, restore the newest backup, and start again`,
  );

/** An SQL statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const MAX_CACHED_STATEMENTS = 300;

/** Runs statements on a connection and caches prepared ones. SQLite recompiles them after schema changes. */
export function createStatementCache(file: Sqlite.Database) {
  const prepared = new LRUCache<string, Sqlite.Statement>({ max: MAX_CACHED_STATEMENTS });
  const prepare = (sql: string): Sqlite.Statement => {
    const cached = prepared.get(sql);
    if (cached) return cached;
    const statement = file.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  return {
    /** Whether SQLite considers the statement read-only, whatever word it starts with. */
    isReading: (sql: string): boolean => prepare(sql).readonly,
    perform: ({ sql, parameters }: Statement): QueryResult<unknown> => {
      const statement = prepare(sql);
      if (statement.reader) return { rows: statement.all(...parameters) };
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
  };
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
export function setPragmas(file: Sqlite.Database): void {
  for (const [name, [value]] of Object.entries(PRAGMAS)) file.pragma(`${name} = ${value}`);
}

/**
 * Checks the pragmas. Call it again after the first write, when some builds of SQLite reset `synchronous` to NORMAL.
 * @throws Refusal if a pragma has another value.
 */
export function assertPragmas(file: Sqlite.Database): void {
  for (const [name, [, expected]] of Object.entries(PRAGMAS)) {
    const value = file.pragma(name, { simple: true });
    if (value !== expected)
      throw new Refusal(
        'database.unsafe_setting',
        `SQLite reports ${name} = ${String(value)} instead of ${expected}, so confirmed writes could be lost in this folder. Put DATA_DIR on a local disk`,
      );
  }
}
