// The writing thread: the only connection that writes, so that a slow disk never holds up the main thread.
import { chmodSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  assertIntact,
  explainDamage,
  assertPragmas,
  BUSY_TIMEOUT_MS,
  setPragmas,
  createStatementCache,
  type Statement,
} from './sqliteConnection.ts';
import { serializeError, type WorkerStartResult, type WorkerRequest, type Outcome } from './workerMessages.ts';

export interface WorkerData {
  readonly path: string;
  readonly isCheckedFirst: boolean;
}

/** Committed pages that are copied from the log into the database at once: about 4 MB, as SQLite itself does. */
const CHECKPOINT_PAGES = 1000;

/** 'PEGB': what the first write at every start writes, and how a stranger's file is told. */
const APPLICATION_ID = 0x50454742;

const { path, isCheckedFirst } = workerData as WorkerData;
const port = parentPort;
if (port === null) throw new Error('worker.ts runs as a thread only');

const open = (): Sqlite.Database => {
  const file = new Sqlite(path);
  try {
    // By name, never by an open handle: closing one would drop SQLite's locks.
    chmodSync(path, 0o600);
    setPragmas(file);
    const owner = file.pragma('application_id', { simple: true });
    if (owner !== 0 && owner !== APPLICATION_ID) throw new Refusal(`${path} is another program's database`);
    if (isCheckedFirst) assertIntact(file);
    file.exec('BEGIN IMMEDIATE');
    file.pragma(`application_id = ${APPLICATION_ID}`);
    file.exec('COMMIT');
    assertPragmas(file);
    return file;
  } catch (error) {
    file.close();
    throw explainDamage(path, error);
  }
};

const DONE: Outcome = { result: { rows: [] } };

const attempt = (work: () => Outcome): Outcome => {
  try {
    return work();
  } catch (error) {
    return { error: serializeError(error) };
  }
};

const serve = (file: Sqlite.Database): void => {
  const { perform } = createStatementCache(file);

  const run = (statement: Statement): Outcome => attempt(() => ({ result: perform(statement) }));

  /** One commit for all; nothing where the commit or the whole transaction failed. */
  const together = (batch: readonly Statement[]): Outcome[] | undefined => {
    try {
      file.exec('BEGIN IMMEDIATE');
      // A statement that fails takes back its own changes only, unless SQLite had to end the transaction.
      const outcomes = batch.map((statement) => (file.inTransaction ? run(statement) : DONE));
      file.exec('COMMIT');
      return outcomes;
    } catch {
      // Run one by one, each statement meets its own error.
      if (file.inTransaction) file.exec('ROLLBACK');
      return undefined;
    }
  };

  const rollback = (): Outcome => {
    if (file.inTransaction) file.exec('ROLLBACK');
    return DONE;
  };

  /** Doesn't wait for readers: every write would wait as well. */
  const truncateLog = (): Outcome => {
    file.pragma('busy_timeout = 0');
    try {
      return { result: { rows: file.pragma('wal_checkpoint(TRUNCATE)') as unknown[] } };
    } finally {
      file.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  };

  const obey = (order: WorkerRequest): Outcome[] => {
    switch (order.kind) {
      case 'batch':
        return (order.statements.length > 1 && together(order.statements)) || order.statements.map(run);
      case 'begin':
        return [attempt(() => (file.exec('BEGIN IMMEDIATE'), DONE))];
      case 'step':
        if (file.inTransaction) return [run(order.statement)];
        return [{ error: serializeError(new Error('SQLite has ended this transaction after an earlier error')) }];
      case 'commit': {
        const outcome = attempt(() => (file.exec('COMMIT'), DONE));
        if ('error' in outcome) attempt(rollback);
        return [outcome];
      }
      case 'rollback':
        return [attempt(rollback)];
      case 'truncateLog':
        return [attempt(truncateLog)];
      case 'close':
        return [attempt(() => (file.pragma('wal_checkpoint(TRUNCATE)'), file.close(), DONE))];
    }
  };

  /** Done after the answer, so that nobody waits for it. What it cannot do (full disk, a long read), a later one does. */
  const checkpoint = (): void => {
    const [state] = file.pragma('wal_checkpoint(NOOP)') as [{ readonly log: number; readonly checkpointed: number }];
    if (state.log - state.checkpointed >= CHECKPOINT_PAGES) file.pragma('wal_checkpoint(PASSIVE)');
  };

  port.on('message', (order: WorkerRequest) => {
    port.postMessage(obey(order));
    if (order.kind === 'close') port.close();
    else if (!file.inTransaction) attempt(() => (checkpoint(), DONE));
  });
};

const opened = (): WorkerStartResult => {
  try {
    serve(open());
    return { opened: true };
  } catch (error) {
    return error instanceof Refusal ? { refused: error.message } : { error: serializeError(error) };
  }
};
port.postMessage(opened());
