import type { PegboardServer } from './assemble.ts';

/** Turns are counted instead of time: a machine that stands still is one of them. */
const TICK_MS = 500;
const WATCHDOG_TICKS = 9;
/** Ctrl-C reaches a program under npm more than once; what comes later than this is a person's second wish. */
const REPEATED_SIGNAL_MS = 1000;

/**
 * Stops the server at SIGTERM, SIGINT or SIGHUP, and after an error that nobody caught; then ends the process: with 0 where a signal asked,
 * with 1 after an error, where the stop hangs for 4.5 s, or at a second signal a second or more behind the first.
 */
export function stopOnSignal(server: Pick<PegboardServer, 'stop' | 'log'>): void {
  let askedAt: number | undefined;
  const stop = async (code: number): Promise<void> => {
    askedAt = performance.now();
    let turns = 0;
    setInterval(() => {
      turns += 1;
      if (turns < WATCHDOG_TICKS) return;
      server.log.error('the stop hangs: ended by the watchdog');
      process.exit(1);
    }, TICK_MS).unref();
    try {
      await server.stop();
    } catch (error) {
      server.log.error({ err: error }, 'the stop failed');
      process.exit(1);
    }
    process.exit(code);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (askedAt === undefined) {
      server.log.info({ signal }, 'stopping');
      void stop(0);
    } else if (performance.now() - askedAt >= REPEATED_SIGNAL_MS) process.exit(1);
  };
  const onError = (error: unknown): void => {
    server.log.fatal({ err: error }, 'an error that nobody caught');
    if (askedAt === undefined) void stop(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
}
