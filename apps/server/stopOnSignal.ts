import type { PegboardServer } from './assemble.ts';

/** Counted in ticks instead of time, because a suspended computer does not tick. */
const TICK_MS = 500;
const WATCHDOG_TICKS = 9;
/** npm may repeat a Ctrl-C. A signal later than this is a second request by the person. */
const REPEATED_SIGNAL_MS = 1000;

/**
 * Stops the server at SIGTERM, SIGINT or SIGHUP, or after an uncaught error, and ends the process. The exit code is 0
 * after a signal, and 1 after an error, a stop that hangs for 4.5 s, or a second signal at least a second later.
 */
export function stopOnSignal(server: Pick<PegboardServer, 'stop' | 'log'>): void {
  let stopRequestedAt: number | undefined;
  async function stop(code: number): Promise<void> {
    stopRequestedAt = performance.now();
    let ticks = 0;
    setInterval(() => {
      ticks += 1;
      if (ticks < WATCHDOG_TICKS) return;
      server.log.error('server.stop.timeout');
      process.exit(1);
    }, TICK_MS).unref();
    try {
      await server.stop();
    } catch (error) {
      server.log.error({ err: error }, 'server.stop.failed');
      process.exit(1);
    }
    process.exit(code);
  }
  function handleSignal(signal: NodeJS.Signals): void {
    if (stopRequestedAt === undefined) {
      server.log.info({ signal }, 'server.stop.started');
      void stop(0);
    } else if (performance.now() - stopRequestedAt >= REPEATED_SIGNAL_MS) process.exit(1);
  }
  function handleFault(error: unknown): void {
    server.log.fatal({ err: error }, 'server.uncaught_error');
    if (stopRequestedAt === undefined) void stop(1);
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, handleSignal);
  process.on('uncaughtException', handleFault);
  process.on('unhandledRejection', handleFault);
}
