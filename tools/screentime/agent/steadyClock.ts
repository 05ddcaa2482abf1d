import { uptime } from 'node:os';

/** Monotonic clock in milliseconds. It starts at the system time, and runs on while the computer sleeps. */
export type SteadyClock = () => number;

/** Creates a steady clock from the uptime, which includes sleep and ignores changes of the date. */
export function createSteadyClock(): SteadyClock {
  const startTime = Date.now() - uptime() * 1000;
  return () => Math.round(startTime + uptime() * 1000);
}
