// Days and times as the pages write them, in the browser's own zone.

/** The browser's own zone, as calls take it: 'Europe/Berlin'. */
export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const DAY_MS = 86_400_000;
const two = (value: number): string => String(value).padStart(2, '0');
/** The day's number, the same all day long whatever the zone. */
const dayOf = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
const weekday = (date: Date): string => date.toLocaleDateString('en', { weekday: 'long' });

/** '19-11-2026', from an ISO text or milliseconds since the epoch. */
export const shortDate = (when: string | number): string => {
  const date = new Date(when);
  return `${two(date.getDate())}-${two(date.getMonth() + 1)}-${date.getFullYear()}`;
};

/** '13:58'. */
export const clockTime = (when: string | number): string => {
  const date = new Date(when);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
};

/** 'Today', 'Yesterday' or 'Thursday 19-11-2026'. */
export const dayName = (when: string | number, now: number): string => {
  const days = Math.round((dayOf(new Date(now)) - dayOf(new Date(when))) / DAY_MS);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return `${weekday(new Date(when))} ${shortDate(when)}`;
};

/** 'today, 09:58' or 'Thursday 19-11-2026, 22:41'. */
export const moment = (when: string | number): string => {
  const day =
    new Date(when).toDateString() === new Date().toDateString()
      ? 'today'
      : `${weekday(new Date(when))} ${shortDate(when)}`;
  return `${day}, ${clockTime(when)}`;
};
