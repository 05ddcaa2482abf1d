import { HOUR_SECONDS, MINUTE_SECONDS } from '#platform/contract/duration.ts';

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
