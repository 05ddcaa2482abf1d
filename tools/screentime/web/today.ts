import { formatIsoDate } from '#platform/web/browser/formats.ts';

/** Returns the ISO date a number of days before today, in the browser's zone. */
export function dayBefore(days: number): string {
  const now = new Date();
  return formatIsoDate(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));
}

/** Returns today's ISO date in the browser's zone. */
export function today(): string {
  return dayBefore(0);
}
