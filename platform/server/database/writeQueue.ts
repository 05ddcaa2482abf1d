import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Statement } from './sqliteConnection.ts';
import type { WorkerData } from './worker.ts';
import {
  deserializeError,
  type WorkerRequest,
  type Outcome,
  isDiskFull,
  type WorkerStartResult,
} from './workerMessages.ts';

/** The writer thread, as the main thread sees it. */
export interface WriterThread {
  /** @throws if the thread has ended. */
  readonly send: (request: WorkerRequest) => Promise<readonly Outcome[]>;
  /** Ends the thread after all earlier requests. */
  readonly close: () => Promise<void>;
}

export interface WriterThreadEvents {
  /** Called if the thread ends unexpectedly. */
  readonly onExit: (error: Error) => void;
  /** Called before the answer of a write that failed because the disk is full. */
  readonly onDiskFull: () => void;
}

/**
 * Starts the writer thread and waits until its connection is open.
 * @throws Refusal if the database must not be used.
 */
export async function startWriterThread(
  data: WorkerData,
  { onExit, onDiskFull }: WriterThreadEvents,
): Promise<WriterThread> {
  // Flags of the main thread, such as a test runner's loaders, must not apply here.
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: data, execArgv: [] });
  const [opened] = (await once(worker, 'message')) as [WorkerStartResult];
  if (!('opened' in opened)) {
    await worker.terminate();
    if ('refused' in opened) throw new Refusal(opened.code, opened.refused);
    if (!isDiskFull(opened.error)) throw deserializeError(opened.error);
    onDiskFull();
    throw new Refusal('database.disk_full', `The disk of ${data.path} is full. Free some space, and start again`);
  }

  const pendingRequests: PromiseWithResolvers<readonly Outcome[]>[] = [];
  let exitError: Error | undefined;
  let isClosing = false;
  function handleExit(cause: unknown): void {
    if (exitError) return;
    exitError = new Error('the writing thread of the database has ended', { cause });
    for (const pending of pendingRequests.splice(0)) pending.reject(exitError);
    if (!isClosing) onExit(exitError);
  }
  worker.on('message', (outcomes: readonly Outcome[]) => {
    if (outcomes.some((outcome) => 'error' in outcome && isDiskFull(outcome.error))) onDiskFull();
    pendingRequests.shift()?.resolve(outcomes);
  });
  worker.on('messageerror', handleExit);
  worker.on('error', handleExit);
  worker.on('exit', (code) => handleExit(`exit code ${code}`));

  async function send(request: WorkerRequest): Promise<readonly Outcome[]> {
    if (exitError) throw exitError;
    const response = Promise.withResolvers<readonly Outcome[]>();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(request);
    pendingRequests.push(response);
    return response.promise;
  }
  return {
    send,
    close: async () => {
      if (exitError) return;
      isClosing = true;
      const exit = once(worker, 'exit');
      const [outcome] = await send({ kind: 'close' });
      await exit;
      if (outcome && 'error' in outcome) throw deserializeError(outcome.error);
    },
  };
}

/** The queue in front of the writer thread. Writes run in order of arrival. */
export interface WriteQueue {
  /** Runs one statement, which is committed when it resolves. Waiting statements share a commit. */
  readonly run: (statement: Statement) => Promise<Outcome>;
  /** Runs a statement that may change the schema or a setting, so it shares no commit. */
  readonly runExclusive: (statement: Statement) => Promise<Outcome>;
  /** Starts a transaction when it is next. Everything later waits for its end. */
  readonly begin: () => Promise<WriteTransaction>;
  /** Empties the log between two writes. Returns false if a reader uses it. */
  readonly truncateLog: () => Promise<boolean>;
  /** Resolves when all earlier writes are done, and refuses later ones. */
  readonly close: () => Promise<void>;
}

/** A transaction with exclusive use of the writer thread. */
export interface WriteTransaction {
  readonly execute: (statement: Statement) => Promise<Outcome>;
  readonly commit: () => Promise<Outcome>;
  /** Does nothing if the transaction has already ended. */
  readonly rollback: () => Promise<Outcome>;
}

/** A transaction without queries for this long waits for something else, and blocks every other write. */
const IDLE_TIMEOUT_MS = 10_000;
const MAX_BATCH_SIZE = 1_000;

interface QueuedStatement {
  readonly statement: Statement;
  readonly outcome: PromiseWithResolvers<Outcome>;
}
/** Statements may share a commit; a function has the thread to itself until it ends. */
type QueuedWrite = QueuedStatement | (() => Promise<void>);

/** Creates the queue. Transactions that are idle for `idleMs` are rolled back. */
export function createWriteQueue({ send }: WriterThread, idleMs: number = IDLE_TIMEOUT_MS): WriteQueue {
  const queue: QueuedWrite[] = [];
  let isRunning = false;
  let isClosed = false;

  async function sendOne(request: WorkerRequest): Promise<Outcome> {
    const [outcome] = await send(request);
    if (!outcome) throw new Error(`the writing thread gave no answer to ${request.kind}`);
    return outcome;
  }

  async function runBatch(batch: readonly QueuedStatement[]): Promise<void> {
    try {
      const outcomes = await send({ kind: 'batch', statements: batch.map(({ statement }) => statement) });
      for (const [index, outcome] of outcomes.entries()) batch[index]?.outcome.resolve(outcome);
    } catch (error) {
      for (const { outcome } of batch) outcome.reject(error);
    }
  }

  async function drainQueue(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (typeof next === 'function') await next();
      else {
        const nextExclusive = queue.findIndex((write) => typeof write === 'function');
        const sameBatch = queue.splice(
          0,
          Math.min(nextExclusive < 0 ? queue.length : nextExclusive, MAX_BATCH_SIZE - 1),
        );
        await runBatch([next, ...sameBatch.filter((write) => typeof write !== 'function')]);
      }
    }
    isRunning = false;
  }

  function enqueue(write: QueuedWrite): void {
    if (isClosed) throw new Error('the database is closed');
    queue.push(write);
    void drainQueue();
  }

  /** Runs `task` with exclusive use of the thread, and returns its result. */
  async function runAlone<T>(task: () => Promise<T>): Promise<T> {
    const result = Promise.withResolvers<T>();
    enqueue(async () => {
      try {
        result.resolve(await task());
      } catch (error) {
        result.reject(error);
      }
    });
    return result.promise;
  }

  return {
    run: async (statement) => {
      const outcome = Promise.withResolvers<Outcome>();
      enqueue({ statement, outcome });
      return outcome.promise;
    },
    runExclusive: async (statement) => runAlone(async () => sendOne({ kind: 'batch', statements: [statement] })),
    begin: async () => {
      const started = Promise.withResolvers<WriteTransaction>();
      enqueue(async () => {
        try {
          const outcome = await sendOne({ kind: 'begin' });
          if ('error' in outcome) throw deserializeError(outcome.error);
          const { transaction, ended } = createWriteTransaction(sendOne, idleMs);
          started.resolve(transaction);
          await ended;
        } catch (error) {
          started.reject(error);
        }
      });
      return started.promise;
    },
    truncateLog: () =>
      runAlone(async () => {
        const outcome = await sendOne({ kind: 'truncateLog' });
        if ('error' in outcome) throw deserializeError(outcome.error);
        const [state] = outcome.result.rows as { readonly busy: number }[];
        return state?.busy === 0;
      }),
    close: async () => {
      await runAlone(async () => {
        isClosed = true;
      });
    },
  };
}

function createWriteTransaction(
  sendOne: (request: WorkerRequest) => Promise<Outcome>,
  idleMs: number,
): { readonly transaction: WriteTransaction; readonly ended: Promise<void> } {
  const end = Promise.withResolvers<void>();
  let isOver = false;
  let pendingCount = 0;
  let idleError: Error | undefined;

  async function finish(kind: 'commit' | 'rollback'): Promise<Outcome> {
    isOver = true;
    clearTimeout(idleTimer);
    try {
      return await sendOne({ kind });
    } finally {
      end.resolve();
    }
  }
  const idleTimer = setTimeout(() => {
    if (pendingCount > 0 || isOver) return;
    idleError = new Error(`a transaction asked nothing of the database for ${idleMs} ms and was rolled back`);
    // A dead thread already reports itself.
    finish('rollback').catch(() => undefined);
  }, idleMs);

  function assertOpen(): void {
    if (idleError) throw idleError;
    if (isOver) throw new Error('this transaction has ended');
  }
  const transaction: WriteTransaction = {
    execute: async (statement) => {
      assertOpen();
      pendingCount += 1;
      try {
        return await sendOne({ kind: 'step', statement });
      } finally {
        pendingCount -= 1;
        idleTimer.refresh();
      }
    },
    commit: async () => {
      assertOpen();
      return finish('commit');
    },
    rollback: async () => (isOver ? { result: { rows: [] } } : finish('rollback')),
  };
  return { transaction, ended: end.promise };
}
