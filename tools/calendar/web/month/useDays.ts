import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { toIso, type Day, getMonday } from '#platform/contract/day.ts';
import { call } from '#platform/web/app/call.ts';
import { createLiveStaleTime } from '#platform/web/app/liveStaleTime.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { calendarChanged, eventsbetween } from '../../contract/events.ts';
import {
  clampDay,
  getFirstOfMonth,
  formatMonthLabel,
  getMonth,
  stepMonths,
  formatWeekLabel,
  listWeeks,
} from '../../events/domain/monthGrid.ts';
import { queryKeys } from '../selection.ts';

/** How a view divides the days into pages. */
export interface Pages {
  readonly unit: 'month' | 'week';
  /** The page of a day: a month, or the Monday of a week. */
  readonly getPage: (day: Day) => number;
  /** The days that a page shows, which may include days of neighbouring pages. */
  readonly getSpan: (page: number) => DayRange;
  readonly getLabel: (page: number) => string;
  /** The corresponding day of the next page (1) or the previous one (-1). */
  readonly turnPage: (page: number, day: Day, by: 1 | -1) => Day;
}

export const monthPages: Pages = {
  unit: 'month',
  getPage: getMonth,
  getSpan: (month) => {
    const mondays = listWeeks(month);
    return { from: mondays[0] ?? 0, until: (mondays.at(-1) ?? 0) + 6 };
  },
  getLabel: formatMonthLabel,
  turnPage: (month, day, by) => stepMonths(getMonth(day) === month ? day : getFirstOfMonth(month), by),
};

export const weekPages: Pages = {
  unit: 'week',
  getPage: getMonday,
  getSpan: (monday) => ({ from: monday, until: monday + 6 }),
  getLabel: formatWeekLabel,
  turnPage: (_, day, by) => clampDay(day + 7 * by),
};

export function isDayShown({ getSpan }: Pages, page: number, day: Day): boolean {
  const { from, until } = getSpan(page);
  return from <= day && day <= until;
}

export interface DayRange {
  readonly from: Day;
  readonly until: Day;
}

function createDaysQuery(span: DayRange) {
  const from = toIso(clampDay(span.from));
  const until = toIso(clampDay(span.until));
  return queryOptions({
    queryKey: queryKeys.between(from, until),
    queryFn: () => call(eventsbetween, { from, until, tz: getTimeZone() }),
    // While connected, every change is pushed.
    staleTime: createLiveStaleTime([calendarChanged]),
  });
}

/** Loads the events of some days, and prefetches neighbours, so that paging shows them immediately. */
export function useDays(span: DayRange, neighbours: readonly DayRange[]) {
  const queryClient = useQueryClient();
  const days = useQuery(createDaysQuery(span));
  const { isSuccess } = days;
  const neighboursJson = JSON.stringify(neighbours);
  useEffect(() => {
    if (!isSuccess) return;
    for (const neighbour of JSON.parse(neighboursJson) as readonly DayRange[])
      // A failure is retried and shown when the user turns to that page.
      void queryClient.query(createDaysQuery(neighbour)).catch(() => undefined);
  }, [queryClient, isSuccess, neighboursJson]);
  return days;
}
