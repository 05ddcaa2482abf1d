import { parseDay } from '../../events/domain/day.ts';
import type { DurationEntry } from '../useCalendar.ts';

const WEEK = 7;
const MONTH = 30.4;
const YEAR = 365.25;

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** '12 days', '9 weeks', '4 months', '2 years': as coarse as the distance allows. */
const shortSpan = (days: number): string => {
  if (days <= 2 * WEEK) return counted(days, 'day');
  if (days < 12 * WEEK) return counted(Math.round(days / WEEK), 'week');
  return days < 2 * YEAR ? counted(Math.round(days / MONTH), 'month') : counted(Math.round(days / YEAR), 'year');
};

/** '12 days left' of one that runs, 'in 3 weeks' of one that comes; `until` belongs to it. */
export const spanOf = ({ date, until }: Pick<DurationEntry, 'date' | 'until'>, today: string) => {
  const [now, first, last] = [parseDay(today) ?? 0, parseDay(date) ?? 0, parseDay(until) ?? 0];
  const isComing = first > now;
  if (isComing) return { isComing, words: `in ${shortSpan(first - now)}` };
  return { isComing, words: last <= now ? 'last day' : `${shortSpan(last - now)} left` };
};
