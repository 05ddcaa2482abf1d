import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';

/** 'just now', '12 min ago', '3 h ago', '2 days ago'. `when` is ISO, `now` milliseconds since the epoch. */
export function ago(when: string, now: number): string {
  const ms = now - Date.parse(when);
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return `${Math.floor(ms / DAY_MS)} days ago`;
}
