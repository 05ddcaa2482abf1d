import * as z from 'zod/mini';
import { DAY_MS } from './duration.ts';

/** How long texts of a user are stored. `forever` means until they are deleted. */
export const retentionPeriod = z.enum(['day', 'week', 'month', 'year', 'forever']);
export type RetentionPeriod = z.output<typeof retentionPeriod>;

const DAYS: Readonly<Record<RetentionPeriod, number>> = { day: 1, week: 7, month: 30, year: 365, forever: Infinity };

/** Returns the length of a period in milliseconds. */
export function getRetentionMs(period: RetentionPeriod): number {
  return DAYS[period] * DAY_MS;
}
