import { TooMany } from '../limits.ts';

/** Lets work run a few at once; the rest waits in a short line. */
export interface Turns {
  /** @throws TooMany when the line is full. */
  readonly take: <T>(work: () => Promise<T>, line: Line) => Promise<T>;
}

/** Who waits in `trusted` goes first and finds places of their own, so a flood of strangers never fills them. */
export type Line = 'trusted' | 'strangers';

export const makeTurns = (atOnce: number, places: number): Turns => {
  const lines: Record<Line, (() => void)[]> = { trusted: [], strangers: [] };
  let running = 0;
  const begin = async (line: Line): Promise<void> => {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (lines[line].length >= places)
      throw new TooMany(2, 'The server is busy checking passwords, try again in a few seconds');
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
    take: async (work, line) => {
      await begin(line);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
};
