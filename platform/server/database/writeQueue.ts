import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Statement } from './sqliteConnection.ts';
import type { WorkerData } from './worker.ts';
import {
  deserializeError,
  type WorkerRequest,
  type Outcome,
  isDiskFullError,
  type WorkerStartResult,
} from './workerMessages.ts';

/** The writing thread, seen from the main one. */
export interface WriterThread {
  /** @throws when the thread has died. */
  readonly send: (order: WorkerRequest) => Promise<readonly Outcome[]>;
  /** Ends the thread once it has done what it was told before. */
  readonly close: () => Promise<void>;
}

export interface WriterThreadEvents {
  /** The thread has ended without having been asked to. */
  readonly onExit: (error: Error) => void;
  /** There was no room on the disk for a write. Told before the write's own answer. */
  readonly onDiskFull: () => void;
}

/**
 * Starts the writing thread and waits until its connection stands.
 * @throws Refusal when the database must not be used.
 */
export async function startWriterThread(
  data: WorkerData,
  { onExit, onDiskFull }: WriterThreadEvents,
): Promise<WriterThread> {
  // Flags of the main thread (a test runner's loaders) are not for it.
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: data, execArgv: [] });
  const [opened] = (await once(worker, 'message')) as [WorkerStartResult];
  if (!('opened' in opened)) {
    await worker.terminate();
    if ('refused' in opened) throw new Refusal(opened.refused);
    if (!isDiskFullError(opened.error)) throw deserializeError(opened.error);
    onDiskFull();
    throw new Refusal(`The disk of ${data.path} is full. Make room, and start again.`);
  }

  const waiting: PromiseWithResolvers<readonly Outcome[]>[] = [];
  let death: Error | undefined;
  let isClosing = false;
  const die = (cause: unknown): void => {
    if (death) return;
    death = new Error('the writing thread of the database has ended', { cause });
    for (const one of waiting.splice(0)) one.reject(death);
    if (!isClosing) onExit(death);
  };
  worker.on('message', (outcomes: readonly Outcome[]) => {
    if (outcomes.some((outcome) => 'error' in outcome && isDiskFullError(outcome.error))) onDiskFull();
    waiting.shift()?.resolve(outcomes);
  });
  worker.on('messageerror', die);
  worker.on('error', die);
  worker.on('exit', (code) => die(`exit code ${code}`));

  const send = async (order: WorkerRequest): Promise<readonly Outcome[]> => {
    if (death) throw death;
    const answer = Promise.withResolvers<readonly Outcome[]>();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(order);
    waiting.push(answer);
    return answer.promise;
  };
  return {
    send,
    close: async () => {
      if (death) return;
      isClosing = true;
      const exit = once(worker, 'exit');
      const [outcome] = await send({ kind: 'close' });
      await exit;
      if (outcome && 'error' in outcome) throw deserializeError(outcome.error);
    },
  };
}

/** The queue in front of the writing thread: what comes first is kept first. */
export interface WriteQueue {
  /** A statement by itself, kept once answered. Statements that wait side by side share one commit. */
  readonly run: (statement: Statement) => Promise<Outcome>;
  /** One that may change the schema or a setting, hence shares no commit. */
  readonly runExclusive: (statement: Statement) => Promise<Outcome>;
  /** Waits for its turn; everything that comes later waits for its end. */
  readonly begin: () => Promise<WriteTransaction>;
  /** Empties the log between two writes. Gives false where somebody reads from it. */
  readonly truncateLog: () => Promise<boolean>;
  /** Resolves when everything asked for until now is done; then nothing more is taken. */
  readonly close: () => Promise<void>;
}

export interface WriteTransaction {
  readonly execute: (statement: Statement) => Promise<Outcome>;
  readonly commit: () => Promise<Outcome>;
  /** Does nothing after an end of another kind. */
  readonly rollback: () => Promise<Outcome>;
}

/** A transaction that asks nothing for so long waits for something else than the database, and holds up every write. */
const IDLE_TIMEOUT_MS = 10_000;
const MAX_BATCH_SIZE = 1_000;

interface QueuedStatement {
  readonly statement: Statement;
  readonly answer: PromiseWithResolvers<Outcome>;
}
/** In the queue: statements that may share a commit, or something that needs the thread to itself until it ends. */
type QueuedWrite = QueuedStatement | (() => Promise<void>);

export function createWriteQueue({ send }: WriterThread, idleMs: number = IDLE_TIMEOUT_MS): WriteQueue {
  const queue: QueuedWrite[] = [];
  let isRunning = false;
  let isClosed = false;

  const one = async (order: WorkerRequest): Promise<Outcome> => {
    const [outcome] = await send(order);
    if (!outcome) throw new Error(`the writing thread gave no answer to ${order.kind}`);
    return outcome;
  };

  const runBatch = async (batch: readonly QueuedStatement[]): Promise<void> => {
    try {
      const outcomes = await send({ kind: 'batch', statements: batch.map(({ statement }) => statement) });
      for (const [at, outcome] of outcomes.entries()) batch[at]?.answer.resolve(outcome);
    } catch (error) {
      for (const { answer } of batch) answer.reject(error);
    }
  };

  const work = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (typeof next === 'function') await next();
      else {
        const end = queue.findIndex((waiting) => typeof waiting === 'function');
        const beside = queue.splice(0, Math.min(end < 0 ? queue.length : end, MAX_BATCH_SIZE - 1));
        await runBatch([next, ...beside.filter((waiting) => typeof waiting !== 'function')]);
      }
    }
    isRunning = false;
  };

  const enqueue = (waiting: QueuedWrite): void => {
    if (isClosed) throw new Error('the database is closed');
    queue.push(waiting);
    void work();
  };

  /** Lets `turn` have the thread to itself; gives what `turn` gives. */
  const alone = async <T>(turn: () => Promise<T>): Promise<T> => {
    const answer = Promise.withResolvers<T>();
    enqueue(async () => {
      try {
        answer.resolve(await turn());
      } catch (error) {
        answer.reject(error);
      }
    });
    return answer.promise;
  };

  return {
    run: async (statement) => {
      const answer = Promise.withResolvers<Outcome>();
      enqueue({ statement, answer });
      return answer.promise;
    },
    runExclusive: async (statement) => alone(async () => one({ kind: 'batch', statements: [statement] })),
    begin: async () => {
      const begun = Promise.withResolvers<WriteTransaction>();
      enqueue(async () => {
        try {
          const outcome = await one({ kind: 'begin' });
          if ('error' in outcome) throw deserializeError(outcome.error);
          const { transaction, ended } = createWriteTransaction(one, idleMs);
          begun.resolve(transaction);
          await ended;
        } catch (error) {
          begun.reject(error);
        }
      });
      return begun.promise;
    },
    truncateLog: () =>
      alone(async () => {
        const outcome = await one({ kind: 'truncateLog' });
        if ('error' in outcome) throw deserializeError(outcome.error);
        const [state] = outcome.result.rows as { readonly busy: number }[];
        return state?.busy === 0;
      }),
    close: async () => {
      await alone(async () => {
        isClosed = true;
      });
    },
  };
}

const createWriteTransaction = (
  one: (order: WorkerRequest) => Promise<Outcome>,
  idleMs: number,
): { readonly transaction: WriteTransaction; readonly ended: Promise<void> } => {
  const end = Promise.withResolvers<void>();
  let isOver = false;
  let asked = 0;
  let lapse: Error | undefined;

  const finish = async (kind: 'commit' | 'rollback'): Promise<Outcome> => {
    isOver = true;
    clearTimeout(idle);
    try {
      return await one({ kind });
    } finally {
      end.resolve();
    }
  };
  const idle = setTimeout(() => {
    if (asked > 0 || isOver) return;
    lapse = new Error(`a transaction asked nothing of the database for ${idleMs} ms and was rolled back`);
    // A thread that has died tells everyone by itself.
    finish('rollback').catch(() => undefined);
  }, idleMs);

  const assertOpen = (): void => {
    if (lapse) throw lapse;
    if (isOver) throw new Error('this transaction has ended');
  };
  const transaction: WriteTransaction = {
    execute: async (statement) => {
      assertOpen();
      asked += 1;
      try {
        return await one({ kind: 'step', statement });
      } finally {
        asked -= 1;
        idle.refresh();
      }
    },
    commit: async () => {
      assertOpen();
      return finish('commit');
    },
    rollback: async () => (isOver ? { result: { rows: [] } } : finish('rollback')),
  };
  return { transaction, ended: end.promise };
};
