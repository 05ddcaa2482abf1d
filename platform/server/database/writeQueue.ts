import type { Statement } from './statements.ts';
import type { WriterThread } from './thread.ts';
import { deserializeError, type WorkerRequest, type Outcome } from './workerMessages.ts';

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

export const createWriteQueue = ({ send }: WriterThread, idleMs: number = IDLE_TIMEOUT_MS): WriteQueue => {
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
};

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
