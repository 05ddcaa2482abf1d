/** Events that may be on their way at once (reliability.md section 4). */
const WINDOW = 8;

/**
 * Sends the newest state alone: at most 8 events unanswered, and behind them one that says how things stand by then. A line that
 * has stalled never holds more than that.
 *
 * @param send sends the state as it is now, and settles with the answer
 */
export const createNewest = (send: () => Promise<void>): (() => void) => {
  let open = 0;
  let isBehind = false;
  const run = async (): Promise<void> => {
    open += 1;
    isBehind = false;
    await send();
    open -= 1;
    if (isBehind) void run();
  };
  return () => {
    if (open < WINDOW) void run();
    else isBehind = true;
  };
};
