import { useEffect, useState } from 'react';
import { DAY_MS } from '#platform/contract/duration.ts';
import { formatClockTime, formatShortDate } from '#platform/web/browser/formats.ts';

const WEEK_DAYS = 6;

/**
 * Formats a time for the rail: '14:12' today, 'Thu' in the last days, '02-11-2026' before.
 * @param when milliseconds since the epoch
 * @param now milliseconds since the epoch
 */
export function shortTime(when: number, now: number): string {
  const [day, today] = [new Date(when), new Date(now)];
  if (day.toDateString() === today.toDateString()) return formatClockTime(when);
  const isThisWeek = Math.abs(now - when) < WEEK_DAYS * DAY_MS;
  return isThisWeek ? day.toLocaleDateString('en', { weekday: 'short' }) : formatShortDate(when);
}

/** Returns the time in milliseconds since the epoch, updated every minute. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(tick);
  }, []);
  return now;
}
