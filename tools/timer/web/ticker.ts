/** Source: the specification. */
const TICK_MS = 100;

export interface Ticker {
  readonly run: (running: boolean) => void;
}

/** Beats ten times a second while it runs, in a worker; by the page's own timer where the worker cannot be had. What the time is says the clock, never the count of beats. */
export const createTicker = (tick: () => void): Ticker => {
  let running = false;
  let own: ReturnType<typeof setInterval> | undefined;
  let failed = false;

  const beatOneself = (): void => {
    clearInterval(own);
    own = running ? setInterval(tick, TICK_MS) : undefined;
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./tick.worker.ts', import.meta.url), { type: 'module' });
    started.addEventListener('message', tick);
    // Its file cannot be had, as without a line where nothing keeps it.
    started.addEventListener('error', () => {
      failed = true;
      beatOneself();
    });
    return started;
  };

  // At once: when it is wanted the line may be gone.
  const worker = start();
  return {
    run: (next) => {
      if (next === running) return;
      running = next;
      if (failed) return beatOneself();
      return worker.postMessage(running ? TICK_MS : 0, []);
    },
  };
};
