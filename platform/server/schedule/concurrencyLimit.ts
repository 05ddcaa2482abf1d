import { RateLimitError } from '../http/rateLimiter.ts';

/** Runs a limited amount of work concurrently. The rest waits in two short queues. */
export interface ConcurrencyLimit {
  /** @throws RateLimitError if the queue is full. */
  readonly run: <T>(work: () => Promise<T>, queueName: QueueName) => Promise<T>;
}

/** `trusted` goes first and has its own queue, so that a flood of visitors cannot fill it. */
export type QueueName = 'trusted' | 'unauthenticated';

/** Creates a limit. Each queue holds at most `maxQueued` waiting calls. */
export function createConcurrencyLimit(maxConcurrent: number, maxQueued: number): ConcurrencyLimit {
  const queues: Record<QueueName, (() => void)[]> = { trusted: [], unauthenticated: [] };
  let running = 0;
  const acquire = async (queueName: QueueName): Promise<void> => {
    if (running < maxConcurrent) {
      running += 1;
      return;
    }
    if (queues[queueName].length >= maxQueued)
      throw new RateLimitError(2, 'The server is busy checking passwords. Try again in a few seconds');
    await new Promise<void>((resolve) => {
      queues[queueName].push(resolve);
    });
  };
  const release = (): void => {
    const next = queues.trusted.shift() ?? queues.unauthenticated.shift();
    // Pass the slot on directly, so that no newcomer can take it.
    if (next) next();
    else running -= 1;
  };
  return {
    run: async (work, queueName) => {
      await acquire(queueName);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
