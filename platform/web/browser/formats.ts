import { getShortMonth } from '#platform/contract/day.ts';
import { DAY_MS, HOUR_SECONDS, MINUTE_SECONDS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a size such as '812 bytes', '1.5 MiB' or '120 GiB'. */
export function formatSize(bytes: number): string {
  const exponent = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** exponent;
  return `${exponent === 0 || value >= 100 ? Math.round(value) : Math.floor(value * 10) / 10} ${UNITS[exponent]}`;
}

/** Formats the length of a recording in seconds, as players do: '4:12', '1:02:03'. */
export function formatPlayTime(seconds: number): string {
  const wholeSeconds = Math.max(0, Math.round(seconds));
  const hours = Math.floor(wholeSeconds / HOUR_SECONDS);
  const minutes = Math.floor(wholeSeconds / MINUTE_SECONDS) % 60;
  const rest = padTwo(wholeSeconds % MINUTE_SECONDS);
  return hours > 0 ? `${hours}:${padTwo(minutes)}:${rest}` : `${minutes}:${rest}`;
}

// Days and times are formatted in the time zone of the browser.

/** Returns the time zone of the browser as calls take it: 'Europe/Berlin'. */
export function getTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns a number that is the same all day long in any time zone. */
const getDayNumber = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
const formatWeekday = (date: Date): string => date.toLocaleDateString('en', { weekday: 'long' });

/** Formats the day of a date as '2026-11-19'. */
export function formatIsoDate(date: Date): string {
  return `${String(date.getFullYear()).padStart(4, '0')}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`;
}

const formatDayOfYear = (date: Date): string => `${date.getDate()} ${getShortMonth(date.getMonth() + 1)}`;

/** Formats an ISO text or milliseconds since the epoch as '19 Nov 2026'. */
export function formatDate(when: string | number): string {
  const date = new Date(when);
  return `${formatDayOfYear(date)} ${date.getFullYear()}`;
}

/** Formats '20 Nov', or '20 Nov 2025' in another year than that of `now`. */
export function formatDateRelativeTo(when: string | number, now: string | number): string {
  const date = new Date(when);
  return date.getFullYear() === new Date(now).getFullYear() ? formatDayOfYear(date) : formatDate(when);
}

/** Formats a time as '13:58'. */
export function formatClockTime(when: string | number): string {
  const date = new Date(when);
  return `${padTwo(date.getHours())}:${padTwo(date.getMinutes())}`;
}

/** Formats a day as 'Today', 'Yesterday' or 'Thursday 19 Nov 2026'. */
export function formatDayName(when: string | number, now: number): string {
  const days = Math.round((getDayNumber(new Date(now)) - getDayNumber(new Date(when))) / DAY_MS);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return `${formatWeekday(new Date(when))} ${formatDate(when)}`;
}

/** Seconds since the epoch: by the sender's clock, and by the server's clock if known. */
export interface MessageTimes {
  readonly timesent: number;
  readonly received?: number | undefined;
}

/** Largest distance of a `Date` from the epoch. */
const MAX_DATE_MS = 8.64e15;
const isDate = (ms: number): boolean => Math.abs(ms) <= MAX_DATE_MS;

/** Returns when a message reached the server, in milliseconds; if unknown, when it was sent. */
export function getReceivedMs({ timesent, received = timesent }: MessageTimes): number {
  return isDate(received * 1000) ? received * 1000 : 0;
}

/** Returns when a message was sent, in milliseconds; if that time is impossible, when it was received. */
export function getSentMs(times: MessageTimes): number {
  return isDate(times.timesent * 1000) ? times.timesent * 1000 : getReceivedMs(times);
}

/** Formats the sending time as '13:58', with the date if the sender's clock was on another day than the server's. */
export function formatSentTime(times: MessageTimes): string {
  const sent = getSentMs(times);
  const isSameDay = new Date(sent).toDateString() === new Date(getReceivedMs(times)).toDateString();
  return isSameDay ? formatClockTime(sent) : `${formatDate(sent)}, ${formatClockTime(sent)}`;
}

/** Formats a moment as 'today, 09:58' or 'Thursday 19 Nov 2026, 22:41'. */
export function formatMoment(when: string | number): string {
  const day =
    new Date(when).toDateString() === new Date().toDateString()
      ? 'today'
      : `${formatWeekday(new Date(when))} ${formatDate(when)}`;
  return `${day}, ${formatClockTime(when)}`;
}
