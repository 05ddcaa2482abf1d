const HOUR = 3600;
const MINUTE = 60;

const padTwo = (value: number): string => String(value).padStart(2, '0');

/** Formats a length in seconds: '4:12', '1:02:03'. */
export function lengthText(seconds: number): string {
  const wholeSeconds = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(wholeSeconds / HOUR), Math.floor((wholeSeconds % HOUR) / MINUTE)];
  return hours > 0
    ? `${hours}:${padTwo(minutes)}:${padTwo(wholeSeconds % MINUTE)}`
    : `${minutes}:${padTwo(wholeSeconds % MINUTE)}`;
}

/** Formats a duration in seconds: '40 s', '28 min', '3 h 5 min'. */
export function durationText(seconds: number): string {
  if (seconds < MINUTE) return `${Math.floor(seconds)} s`;
  const minutes = Math.round(seconds / MINUTE);
  if (minutes < MINUTE) return `${minutes} min`;
  const hours = Math.floor(minutes / MINUTE);
  return minutes % MINUTE === 0 || hours >= 100 ? `${hours} h` : `${hours} h ${minutes % MINUTE} min`;
}

export function songsText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'song' : 'songs'}`;
}

export function playsText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'play' : 'plays'}`;
}

const shortDateFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const longDateFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

const getDateParts = (format: Intl.DateTimeFormat, when: Date): Readonly<Record<string, string>> =>
  Object.fromEntries(format.formatToParts(when).map(({ type, value }) => [type, value]));

/** Formats an ISO 8601 date: '20 Nov', or '20 Nov 2025' in another year. */
export function dayText(when: string, now: number): string {
  const date = new Date(when);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  const { day, month, year } = getDateParts(isThisYear ? shortDateFormat : longDateFormat, date);
  return [day, month, year].filter(Boolean).join(' ');
}
