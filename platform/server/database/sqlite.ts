import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { FastifyBaseLogger } from 'fastify';
import { Kysely, sql } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { MAX_STARTUP_CHECK_BYTES } from './damage.ts';
import type { Database } from './database.ts';
import { createThreadedSqliteDialect } from './dialect.ts';
import { createEraser } from './eraser.ts';
import { acquireDataFolderLock } from './lock.ts';
import { startWriterThread } from './thread.ts';
import { createTransactionFactory } from './transaction.ts';
import { createWriteQueue } from './writeQueue.ts';

export interface SqliteOptions {
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  /** Told once when nothing can be written any more. */
  readonly onFatal: (error: Error) => void;
  /** Told at every write that found no room on the disk. */
  readonly onFull?: (() => void) | undefined;
  readonly checkedAtStartBytes?: number | undefined;
  /** After which a transaction that asks nothing is rolled back. */
  readonly idleMs?: number | undefined;
  readonly timers?: Timers | undefined;
}

/** Opens `data.db` in the data folder, which stands already. @throws Refusal where the server must not start. Source: reliability.md, section 5. */
export const openSqlite = async (options: SqliteOptions): Promise<Database> => {
  const {
    dataDir,
    log,
    onFatal,
    onFull = () => undefined,
    checkedAtStartBytes = MAX_STARTUP_CHECK_BYTES,
    timers = realTimers,
  } = options;
  const path = join(dataDir, 'data.db');
  await using opened = new AsyncDisposableStack();

  opened.use(await acquireDataFolderLock(dataDir));

  // What was deleted before a stop that a reader outlived may still be in it.
  const hasOldLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const checkFirst = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= checkedAtStartBytes;
  const thread = await startWriterThread({ path, isCheckedFirst: checkFirst }, { onExit: onFatal, onDiskFull: onFull });
  opened.defer(thread.close);

  const reader = new Sqlite(path, { readonly: true });
  opened.defer(() => void reader.close());
  reader.pragma('trusted_schema = OFF');
  if (!checkFirst) opened.use(checkInBackground(path, onFatal));

  const writes = createWriteQueue(thread, options.idleMs);
  opened.defer(writes.close);
  const eraser = createEraser({ truncateLog: writes.truncateLog, log, timers });
  opened.defer(eraser.stop);
  if (hasOldLog) void eraser.erase();
  const { assertOutside, create } = createTransactionFactory(log);
  const db = new Kysely<unknown>({ dialect: createThreadedSqliteDialect({ reader, writes, assertOutside }) });
  opened.defer(async () => db.destroy());

  const all = opened.move();
  return {
    dialect: 'sqlite',
    db,
    transaction: create(async (body) => db.transaction().execute(body)),
    // Asks both threads.
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
    [Symbol.asyncDispose]: async () => all.disposeAsync(),
  };
};

/** Checks a large database while the server runs already. */
const checkInBackground = (path: string, onFatal: (error: Error) => void): AsyncDisposable => {
  const worker = new Worker(new URL('./integrityCheck.ts', import.meta.url), { workerData: { path }, execArgv: [] });
  worker.once('message', ({ damage }: { readonly damage?: string }) => {
    if (damage !== undefined) onFatal(new Refusal(damage));
  });
  worker.once('error', onFatal);
  return { [Symbol.asyncDispose]: async () => void (await worker.terminate()) };
};
