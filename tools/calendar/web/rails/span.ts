import { parseDay } from '../../domain/day.ts';
import type { DurationEntry } from '../useCalendar.ts';

const WEEK = 7;
const MONTH = 30.4;
const YEAR = 365.25;

/** '12 d', '9 w', '4 mo', '2 y': as coarse as the distance allows. */
const shortSpan = (days: number): string => {
  if (days <= 2 * WEEK) return `${days} d`;
  if (days < 12 * WEEK) return `${Math.round(days / WEEK)} w`;
  return days < 2 * YEAR ? `${Math.round(days / MONTH)} mo` : `${Math.round(days / YEAR)} y`;
};

/** '12 d left' of one that runs, 'in 3 w' of one that comes; `until` belongs to it. */
export const spanOf = ({ date, until }: Pick<DurationEntry, 'date' | 'until'>, today: string) => {
  const [now, first, last] = [parseDay(today) ?? 0, parseDay(date) ?? 0, parseDay(until) ?? 0];
  const isComing = first > now;
  if (isComing) return { isComing, words: `in ${shortSpan(first - now)}` };
  return { isComing, words: last <= now ? 'last day' : `${shortSpan(last - now)} left` };
};
