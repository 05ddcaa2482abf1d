import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { FastifyBaseLogger } from 'fastify';
import {
  Kysely,
  sql,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type QueryResult,
} from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { areWritesDeferrable, DiskFullError, isDiskFullError } from '../storage/diskFullError.ts';
import type { DiskMonitor } from '../storage/diskSpace.ts';
import { aloneOnDatabase } from './coordination.ts';
import { type Database, createTransactionFactory } from './database.ts';
import { acquireFileLock, MAX_STARTUP_CHECK_BYTES, createStatementCache } from './sqliteConnection.ts';
import { deserializeError, type Outcome } from './workerMessages.ts';
import { startWriterThread, createWriteQueue, type WriteQueue, type WriteTransaction } from './writeQueue.ts';

/**
 * Locks the data folder until the lock is disposed of or the process ends in any way.
 * @throws Refusal immediately if another process has the lock.
 */
export async function acquireDataFolderLock(dataDir: string): Promise<Disposable> {
  const lock = acquireFileLock(join(dataDir, 'lock.db'));
  if (lock) return lock;
  throw new Refusal(
    'database.in_use',
    `Another Pegboard is using the folder ${dataDir}. Stop it, or set another DATA_DIR`,
  );
}

export interface EraserOptions {
  /** Empties the write-ahead log, and returns false if a reader still uses it. Never waits for readers. */
  readonly truncateLog: () => Promise<boolean>;
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
}

/** Erases the content of deleted rows from the disk. */
export interface Eraser {
  /** Resolves after the first attempt. If that fails, retries follow until one succeeds. */
  readonly erase: () => Promise<void>;
  readonly stop: () => void;
}

const MIN_RETRY_DELAY_MS = 100;
const MAX_RETRY_DELAY_MS = 30_000;

/**
 * Creates an eraser that empties the log after rows are deleted. `secure_delete` overwrites rows in the database file,
 * but the log still has the old pages. A running backup delays it.
 */
export function createEraser({ truncateLog, log, timers = realTimers }: EraserOptions): Eraser {
  let cancelRetry: (() => void) | undefined;
  let isStopped = false;

  async function tryErase(retryMs: number): Promise<void> {
    cancelRetry?.();
    cancelRetry = undefined;
    let isErased = false;
    try {
      isErased = await truncateLog();
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, 'database.erase.failed');
    }
    if (isErased || isStopped) return;
    cancelRetry = timers.schedule(retryMs, () => void tryErase(Math.min(retryMs * 2, MAX_RETRY_DELAY_MS)));
  }

  return {
    erase: () => tryErase(MIN_RETRY_DELAY_MS),
    stop: () => {
      isStopped = true;
      cancelRetry?.();
    },
  };
}

interface DialectDeps {
  /** Reads outside of transactions, on the main thread. */
  readonly reader: Sqlite.Database;
  readonly writes: WriteQueue;
  /** @throws Error if the caller is inside a transaction of its own, where a separate write would deadlock. */
  readonly assertOutside: () => void;
  readonly reserve: WriteReserve;
}

/** Decides which writes may use the last space of the disk, and repeats those that found none. */
interface WriteReserve {
  /** @throws DiskFullError if the space that is left is not for the current work. */
  readonly assertWritable: () => void;
  /** Runs a write, and repeats it if it found no space and some was made meanwhile. */
  readonly retry: <T>(write: () => Promise<T>) => Promise<T>;
}

/** Creates the reserve of a database. Call `onFull` for each write that found no space. */
function createWriteReserve({
  releaseReserve = () => false,
  acceptsDeferrableWrites = () => true,
}: DiskReserve): WriteReserve & { readonly onFull: () => void } {
  let releaseCount = 0;
  return {
    onFull: () => {
      if (releaseReserve()) releaseCount += 1;
    },
    assertWritable: () => {
      if (areWritesDeferrable() && !acceptsDeferrableWrites()) throw new DiskFullError();
    },
    retry: async (write) => {
      const releaseCountBefore = releaseCount;
      try {
        return await write();
      } catch (error) {
        if (areWritesDeferrable() || releaseCount === releaseCountBefore || !isDiskFullError(error)) throw error;
        return write();
      }
    },
  };
}

/** Creates a dialect whose writes run in their own thread. Reads that start after a write's answer see it. */
export function createThreadedSqliteDialect(deps: DialectDeps): Dialect {
  return {
    createAdapter: () => adapter,
    createDriver: () => createDriver(deps),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

const adapter: DialectAdapter = {
  supportsCreateIfNotExists: true,
  supportsMultipleConnections: true,
  supportsOutput: false,
  supportsReturning: true,
  supportsTransactionalDdl: true,
  // No lock is needed: one server at a time uses the folder, and `migrate` runs migrations one by one.
  acquireMigrationLock: async () => undefined,
  releaseMigrationLock: async () => undefined,
};

function createDriver({ reader, writes, assertOutside, reserve }: DialectDeps): Driver {
  const { perform: read, isReadOnly } = createStatementCache(reader);
  const transactions = new WeakMap<DatabaseConnection, WriteTransaction>();

  async function runOutside(query: CompiledQuery): Promise<QueryResult<unknown>> {
    assertOutside();
    const kind = getStatementKind(query, isReadOnly);
    if (kind === 'read') return read(query);
    const statement = { sql: query.sql, parameters: query.parameters };
    if (kind === 'other') return unwrapOutcome(await writes.runExclusive(statement));
    reserve.assertWritable();
    return reserve.retry(async () => unwrapOutcome(await writes.run(statement)));
  }

  async function runInside(transaction: WriteTransaction, query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (getStatementKind(query, isReadOnly) !== 'read') reserve.assertWritable();
    return unwrapOutcome(await transaction.execute({ sql: query.sql, parameters: query.parameters }));
  }

  function connect(): DatabaseConnection {
    const connection: DatabaseConnection = {
      executeQuery: async <Row>(query: CompiledQuery) => {
        const transaction = transactions.get(connection);
        const result = await (transaction ? runInside(transaction, query) : runOutside(query));
        // Kysely's caller declares the row type.
        return result as QueryResult<Row>;
      },
      streamQuery: () => {
        throw new Error('rows come all at once: read large tables page by page');
      },
    };
    return connection;
  }
  function getTransaction(connection: DatabaseConnection): WriteTransaction {
    const transaction = transactions.get(connection);
    if (!transaction) throw new Error('no transaction has begun here');
    return transaction;
  }

  return {
    init: async () => undefined,
    acquireConnection: async () => connect(),
    beginTransaction: async (connection) => {
      assertOutside();
      transactions.set(connection, await writes.begin());
    },
    commitTransaction: async (connection) => {
      unwrapOutcome(await getTransaction(connection).commit());
    },
    rollbackTransaction: async (connection) => {
      unwrapOutcome(await getTransaction(connection).rollback());
    },
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
}

type StatementKind = 'read' | 'write' | 'other';
const KIND_BY_KEYWORD: Readonly<Record<string, StatementKind>> = {
  select: 'read',
  insert: 'write',
  update: 'write',
  delete: 'write',
};

/** Classifies a query by its first word, which also works for raw SQL. Unknown statements may do anything. */
function getStatementKind(query: CompiledQuery, isReadOnly: (text: string) => boolean): StatementKind {
  if (query.query.kind === 'SelectQueryNode') return 'read';
  const keyword = /^\s*(\w+)/.exec(query.sql)?.[1]?.toLowerCase() ?? '';
  if (keyword === 'with') return isReadOnly(query.sql) ? 'read' : 'write';
  return KIND_BY_KEYWORD[keyword] ?? 'other';
}

function unwrapOutcome(outcome: Outcome): QueryResult<unknown> {
  if ('error' in outcome) throw deserializeError(outcome.error);
  return { ...outcome.result, rows: outcome.result.rows.map(restoreBuffers) };
}

/** Converts Uint8Array back to Buffer, which does not survive the transfer between threads. */
const restoreBuffers = (row: unknown): unknown =>
  typeof row !== 'object' || row === null || !Object.values(row).some((value) => value instanceof Uint8Array)
    ? row
    : Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value) : value]),
      );

/** The part of the disk monitor that the database uses. */
export type DiskReserve = Partial<Pick<DiskMonitor, 'releaseReserve' | 'acceptsDeferrableWrites'>>;

export interface SqliteOptions {
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  /** Called once if nothing can be written any more. */
  readonly onFatal: (error: Error) => void;
  readonly disk?: DiskReserve | undefined;
  /** Maximum size of a database that is checked before the start. */
  readonly maxStartupCheckBytes?: number | undefined;
  /** Idle time in milliseconds after which a transaction is rolled back. */
  readonly idleMs?: number | undefined;
  readonly timers?: Timers | undefined;
}

/**
 * Opens `data.db` in the existing data folder (docs/design/reliability.md section 2).
 * @throws Refusal if the server must not start.
 */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const {
    dataDir,
    log,
    onFatal,
    disk = {},
    maxStartupCheckBytes = MAX_STARTUP_CHECK_BYTES,
    timers = realTimers,
  } = options;
  const path = join(dataDir, 'data.db');
  await using startupResources = new AsyncDisposableStack();

  startupResources.use(await acquireDataFolderLock(dataDir));

  // The log may still contain deleted rows, if a reader outlived the last stop.
  const hasOldLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const shouldCheckIntegrity = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maxStartupCheckBytes;
  const reserve = createWriteReserve(disk);
  const thread = await startWriterThread(
    { path, shouldCheckIntegrity },
    { onExit: onFatal, onDiskFull: reserve.onFull },
  );
  startupResources.defer(thread.close);

  const reader = new Sqlite(path, { readonly: true });
  startupResources.defer(() => void reader.close());
  reader.pragma('trusted_schema = OFF');
  if (!shouldCheckIntegrity) startupResources.use(checkInBackground(path, onFatal));

  const writes = createWriteQueue(thread, options.idleMs);
  startupResources.defer(writes.close);
  const eraser = createEraser({ truncateLog: writes.truncateLog, log, timers });
  startupResources.defer(eraser.stop);
  if (hasOldLog) void eraser.erase();
  const { assertOutside, create } = createTransactionFactory(log);
  const db = new Kysely<unknown>({ dialect: createThreadedSqliteDialect({ reader, writes, assertOutside, reserve }) });
  startupResources.defer(async () => db.destroy());

  const resources = startupResources.move();
  return {
    dialect: 'sqlite',
    db,
    coordination: aloneOnDatabase,
    transaction: create(async (callback) => reserve.retry(() => db.transaction().execute(callback))),
    // Both threads must respond.
    ping: async () => {
      await sql`select 1`.execute(db);
      await thread.send({ kind: 'batch', statements: [] });
    },
    eraseDeleted: async () => {
      assertOutside();
      await eraser.erase();
    },
    getSizeBytes: async () => {
      const { rows } = await sql<{ bytes: number }>`
        select page_count * page_size as bytes from pragma_page_count, pragma_page_size`.execute(db);
      return rows[0]?.bytes ?? 0;
    },
    getReusableBytes: async () => {
      const { rows } = await sql<{ bytes: number }>`
        select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size`.execute(db);
      return rows[0]?.bytes ?? 0;
    },
    [Symbol.asyncDispose]: async () => resources.disposeAsync(),
  };
}

/** Checks a large database while the server is running. */
function checkInBackground(path: string, onFatal: (error: Error) => void): AsyncDisposable {
  const worker = new Worker(new URL('./integrityCheck.ts', import.meta.url), { workerData: { path }, execArgv: [] });
  worker.once('message', ({ damage }: { readonly damage?: string }) => {
    if (damage !== undefined) onFatal(new Refusal('database.damaged', damage));
  });
  worker.once('error', onFatal);
  return { [Symbol.asyncDispose]: async () => void (await worker.terminate()) };
}
