import { mondayOf, type Day } from '../../events/domain/day.ts';
import {
  firstOfMonth,
  knownDay,
  monthLabel,
  monthOf,
  stepMonths,
  weekLabel,
  weeksOf,
} from '../../events/domain/monthGrid.ts';
import type { DayRange } from './useDays.ts';

/** How a view cuts the days into pages. */
export interface Pages {
  readonly unit: 'month' | 'week';
  /** The page that is a day's own: a month, or a week's Monday. */
  readonly pageOf: (day: Day) => number;
  /** The days that a page shows; some may be those of another page. */
  readonly spanOf: (page: number) => DayRange;
  readonly labelOf: (page: number) => string;
  /** The same place of the next page (1) or the one before (-1), told from the page's own day, or its first one. */
  readonly turned: (page: number, day: Day, by: 1 | -1) => Day;
}

export const months: Pages = {
  unit: 'month',
  pageOf: monthOf,
  spanOf: (month) => {
    const weeks = weeksOf(month);
    return { from: weeks[0] ?? 0, until: (weeks.at(-1) ?? 0) + 6 };
  },
  labelOf: monthLabel,
  turned: (month, day, by) => stepMonths(monthOf(day) === month ? day : firstOfMonth(month), by),
};

export const weeks: Pages = {
  unit: 'week',
  pageOf: mondayOf,
  spanOf: (monday) => ({ from: monday, until: monday + 6 }),
  labelOf: weekLabel,
  turned: (_, day, by) => knownDay(day + 7 * by),
};

export const shows = ({ spanOf }: Pages, page: number, day: Day): boolean => {
  const { from, until } = spanOf(page);
  return from <= day && day <= until;
};
