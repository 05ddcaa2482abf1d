// The writer thread has the only writing connection, so that a slow disk never blocks the main thread.
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { Refusal } from '#platform/contract/refusal.ts';
import { isDiskFullError } from '../storage/diskFullError.ts';
import {
  assertIntact,
  explainDamage,
  assertPragmas,
  BUSY_TIMEOUT_MS,
  setPragmas,
  createStatementCache,
  type Statement,
} from './sqliteConnection.ts';
import {
  serializeError,
  type WorkerStartResult,
  type WorkerRequest,
  type Outcome,
  type SerializedError,
} from './workerMessages.ts';

export interface WorkerData {
  readonly path: string;
  /** Whether the integrity of the database is checked before it is used. */
  readonly shouldCheckIntegrity: boolean;
}

/** Committed pages in the log that trigger a checkpoint: about 4 MB, SQLite's own default. */
const CHECKPOINT_PAGES = 1000;

/** 'PEGB', which identifies our own database files. Each start writes it first. */
const APPLICATION_ID = 0x50454742;

const { path, shouldCheckIntegrity } = workerData as WorkerData;
const port = parentPort;
if (port === null) throw new Error('worker.ts runs as a thread only');

function open(): Sqlite.Database {
  const database = new Sqlite(path);
  try {
    // Uses the path, because closing a file handle would release SQLite's locks.
    chmodSync(path, 0o600);
    setPragmas(database);
    const owner = database.pragma('application_id', { simple: true });
    if (owner !== 0 && owner !== APPLICATION_ID)
      throw new Refusal('database.foreign', `${path} is the database of another program. Set another DATA_DIR`);
    if (shouldCheckIntegrity) assertIntact(database);
    database.exec('BEGIN IMMEDIATE');
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.exec('COMMIT');
    assertPragmas(database);
    return database;
  } catch (error) {
    database.close();
    throw explainDamage(path, error);
  }
}

const PROBE_BYTES = 64 * 1024;

/** Returns whether there is no space beside the database, also if a quota is the reason. */
function hasNoSpace(): boolean {
  const probePath = `${path}-probe`;
  try {
    writeFileSync(probePath, Buffer.alloc(PROBE_BYTES, 1), { mode: 0o600, flush: true });
    return false;
  } catch (error) {
    return isDiskFullError(error);
  } finally {
    rmSync(probePath, { force: true });
  }
}

/** Serializes an error. SQLite reports a quota that is used up as an error of input and output. */
function serializeFailure(error: unknown): SerializedError {
  const serialized = serializeError(error);
  const isUnclear = /^SQLITE_(IOERR|CANTOPEN)/.test(serialized.code ?? '');
  return isUnclear && hasNoSpace() ? { ...serialized, code: 'SQLITE_FULL' } : serialized;
}

const EMPTY_OUTCOME: Outcome = { result: { rows: [] } };

/** Returns the outcome of an action, or its error. */
function captureOutcome(action: () => Outcome): Outcome {
  try {
    return action();
  } catch (error) {
    return { error: serializeFailure(error) };
  }
}

const handleRequests = (database: Sqlite.Database): void => {
  const { perform } = createStatementCache(database);

  const run = (statement: Statement): Outcome => captureOutcome(() => ({ result: perform(statement) }));

  /** Runs SQL that returns no rows. */
  const runSql = (sql: string): Outcome =>
    captureOutcome(() => {
      database.exec(sql);
      return EMPTY_OUTCOME;
    });

  /** Runs statements in one commit, and returns their outcomes; undefined if the commit or the transaction failed. */
  function runAsBatch(batch: readonly Statement[]): Outcome[] | undefined {
    try {
      database.exec('BEGIN IMMEDIATE');
      // A failing statement only reverts its own changes, unless SQLite had to end the transaction.
      const outcomes = batch.map((statement) => (database.inTransaction ? run(statement) : EMPTY_OUTCOME));
      database.exec('COMMIT');
      return outcomes;
    } catch {
      // The caller then runs the statements one by one, so that each gets its own error.
      if (database.inTransaction) database.exec('ROLLBACK');
      return undefined;
    }
  }

  function rollback(): Outcome {
    if (database.inTransaction) database.exec('ROLLBACK');
    return EMPTY_OUTCOME;
  }

  function closeDatabase(): Outcome {
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    return EMPTY_OUTCOME;
  }

  /** Copies the log into the database and empties it, without waiting for readers, which would block every write. */
  function truncateLog(): Outcome {
    database.pragma('busy_timeout = 0');
    try {
      return { result: { rows: database.pragma('wal_checkpoint(TRUNCATE)') as unknown[] } };
    } finally {
      database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  function execute(request: WorkerRequest): Outcome[] {
    switch (request.kind) {
      case 'batch':
        return (request.statements.length > 1 && runAsBatch(request.statements)) || request.statements.map(run);
      case 'begin':
        return [runSql('BEGIN IMMEDIATE')];
      case 'step':
        if (database.inTransaction) return [run(request.statement)];
        return [{ error: serializeError(new Error('SQLite has ended this transaction after an earlier error')) }];
      case 'commit': {
        const outcome = runSql('COMMIT');
        if ('error' in outcome) captureOutcome(rollback);
        return [outcome];
      }
      case 'rollback':
        return [captureOutcome(rollback)];
      case 'truncateLog':
        return [captureOutcome(truncateLog)];
      case 'close':
        return [captureOutcome(closeDatabase)];
    }
  }

  /**
   * Copies a long log into the database, after the answer, so that no write waits for it.
   * If that fails (full disk, long read), a later checkpoint succeeds.
   */
  function checkpoint(): Outcome {
    const [state] = database.pragma('wal_checkpoint(NOOP)') as [
      { readonly log: number; readonly checkpointed: number },
    ];
    if (state.log - state.checkpointed >= CHECKPOINT_PAGES) database.pragma('wal_checkpoint(PASSIVE)');
    return EMPTY_OUTCOME;
  }

  port.on('message', (request: WorkerRequest) => {
    port.postMessage(execute(request));
    if (request.kind === 'close') port.close();
    else if (!database.inTransaction) captureOutcome(checkpoint);
  });
};

function start(): WorkerStartResult {
  try {
    handleRequests(open());
    return { opened: true };
  } catch (error) {
    return error instanceof Refusal ? { refused: error.message, code: error.code } : { error: serializeFailure(error) };
  }
}
port.postMessage(start());
