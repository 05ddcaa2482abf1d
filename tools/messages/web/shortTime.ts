import { DAY_MS } from '#platform/contract/duration.ts';
import { formatClockTime, formatDate } from '#platform/web/browser/formats.ts';

const WEEKDAY_DAYS = 6;

/**
 * Formats a time for the rail: '14:12' today, 'Thu' in the last days, '2 Nov 2026' before.
 * @param timeMs since the epoch
 * @param nowMs since the epoch
 */
export function formatShortTime(timeMs: number, nowMs: number): string {
  const [day, today] = [new Date(timeMs), new Date(nowMs)];
  if (day.toDateString() === today.toDateString()) return formatClockTime(timeMs);
  const isRecent = Math.abs(nowMs - timeMs) < WEEKDAY_DAYS * DAY_MS;
  return isRecent ? day.toLocaleDateString('en', { weekday: 'short' }) : formatDate(timeMs);
}
