import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { eventsbetween } from '../../contract/events.ts';
import { toIso, type Day, mondayOf } from '../../events/domain/day.ts';
import {
  knownDay,
  firstOfMonth,
  monthLabel,
  monthOf,
  stepMonths,
  weekLabel,
  weeksOf,
} from '../../events/domain/monthGrid.ts';
import { keys } from '../selection.ts';

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

export function shows({ spanOf }: Pages, page: number, day: Day): boolean {
  const { from, until } = spanOf(page);
  return from <= day && day <= until;
}

export interface DayRange {
  readonly from: Day;
  readonly until: Day;
}

const spanOptions = (span: DayRange) => {
  const from = toIso(knownDay(span.from));
  const until = toIso(knownDay(span.until));
  return queryOptions({
    queryKey: keys.between(from, until),
    queryFn: () => call(eventsbetween, { from, until, tz: getTimeZone() }),
    // While the line stands every change is told.
    staleTime: () => (realtime.getConnectionState() === 'connected' ? Infinity : 5000),
  });
};

/** The events of some days; those of the neighbours are asked for ahead, so that paging shows them at once. */
export function useDays(span: DayRange, neighbours: readonly DayRange[]) {
  const queries = useQueryClient();
  const days = useQuery(spanOptions(span));
  const { isSuccess } = days;
  const ahead = JSON.stringify(neighbours);
  useEffect(() => {
    if (!isSuccess) return;
    for (const neighbour of JSON.parse(ahead) as readonly DayRange[])
      // What fails is asked for again, and told, when it is turned to.
      void queries.query(spanOptions(neighbour)).catch(() => undefined);
  }, [queries, isSuccess, ahead]);
  return days;
}
