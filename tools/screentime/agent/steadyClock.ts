import { uptime } from 'node:os';

/** A clock that nobody turns, in milliseconds. It begins at the computer's own time, and counts on while the computer sleeps. */
export type SteadyClock = () => number;

/** By the time since the computer was started, which goes on in its sleep, and which setting the date does not touch. */
export function steadyClock(): SteadyClock {
  const begun = Date.now() - uptime() * 1000;
  return () => Math.round(begun + uptime() * 1000);
}
