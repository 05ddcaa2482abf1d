import { HOUR_SECONDS, MINUTE_SECONDS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';

/** Formats seconds as players do: '4:12', '1:02:03'. */
export function formatTrackTime(seconds: number): string {
  const wholeSeconds = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [
    Math.floor(wholeSeconds / HOUR_SECONDS),
    Math.floor((wholeSeconds % HOUR_SECONDS) / MINUTE_SECONDS),
  ];
  return hours > 0
    ? `${hours}:${padTwo(minutes)}:${padTwo(wholeSeconds % MINUTE_SECONDS)}`
    : `${minutes}:${padTwo(wholeSeconds % MINUTE_SECONDS)}`;
}

const HOUR_MINUTES = HOUR_SECONDS / MINUTE_SECONDS;

/** Formats a duration in seconds, rounded to minutes: '40 s', '28 min', '3 h 5 min'. */
export function formatRoughDuration(seconds: number): string {
  if (seconds < MINUTE_SECONDS) return `${Math.floor(seconds)} s`;
  const minutes = Math.round(seconds / MINUTE_SECONDS);
  if (minutes < HOUR_MINUTES) return `${minutes} min`;
  const hours = Math.floor(minutes / HOUR_MINUTES);
  return minutes % HOUR_MINUTES === 0 || hours >= 100 ? `${hours} h` : `${hours} h ${minutes % HOUR_MINUTES} min`;
}

export function formatSongCount(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'song' : 'songs'}`;
}

export function formatPlayCount(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'play' : 'plays'}`;
}

const shortDateFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const longDateFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

const getDateParts = (format: Intl.DateTimeFormat, when: Date): Readonly<Record<string, string>> =>
  Object.fromEntries(format.formatToParts(when).map(({ type, value }) => [type, value]));

/** Formats an ISO 8601 date: '20 Nov', or '20 Nov 2025' in another year. */
export function formatDay(when: string, now: number): string {
  const date = new Date(when);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  const { day, month, year } = getDateParts(isThisYear ? shortDateFormat : longDateFormat, date);
  return [day, month, year].filter(Boolean).join(' ');
}
