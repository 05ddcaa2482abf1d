import { RateLimitError } from '../http/rateLimiter.ts';

/** Lets work run a few at once; the rest waits in a short line. */
export interface ConcurrencyLimit {
  /** @throws TooMany when the line is full. */
  readonly run: <T>(work: () => Promise<T>, line: QueueName) => Promise<T>;
}

/** Who waits in `trusted` goes first and finds places of their own, so a flood of strangers never fills them. */
export type QueueName = 'trusted' | 'strangers';

export function createConcurrencyLimit(atOnce: number, places: number): ConcurrencyLimit {
  const lines: Record<QueueName, (() => void)[]> = { trusted: [], strangers: [] };
  let running = 0;
  const begin = async (line: QueueName): Promise<void> => {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (lines[line].length >= places)
      throw new RateLimitError(2, 'The server is busy checking passwords, try again in a few seconds');
    await new Promise<void>((resolve) => {
      lines[line].push(resolve);
    });
  };
  const end = (): void => {
    const next = lines.trusted.shift() ?? lines.strangers.shift();
    // The turn is handed on, not given back: nobody who comes in between can take it.
    if (next) next();
    else running -= 1;
  };
  return {
    run: async (work, line) => {
      await begin(line);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
