import { getTimeZone, formatIsoDate } from '#platform/web/browser/formats.ts';

/** Returns the ISO date a number of days before today, in the browser's zone. */
export function getDateBefore(days: number): string {
  const now = new Date();
  return formatIsoDate(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));
}

/** Returns today's ISO date in the browser's zone. */
export function getToday(): string {
  return getDateBefore(0);
}

/** First element of every query key of this tool, by which queries are invalidated. */
export const SCREEN_TIME = 'screentime';

const HOUR_MINUTES = 60;

/** Returns the current hours east of UTC. */
export function getOffsetHours(): number {
  return -new Date().getTimezoneOffset() / HOUR_MINUTES;
}

/** Formats `+1`, `-3.5`, `0` (docs/specification/screentime.md section 1.2). */
export function formatOffset(hours: number): string {
  return `${hours > 0 ? '+' : ''}${hours}`;
}

/** Returns the browser's zone, for every call with `tzoffset` and `tz`. */
export function getZoneFields(): { readonly tzoffset: string; readonly tz: string } {
  return { tzoffset: String(getOffsetHours()), tz: getTimeZone() };
}
