import { queryOptions, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { remember } from '#platform/web/remember.ts';
import { useSite, type Site } from '#platform/web/site.ts';
import type { Doings, DoneStretch } from '#platform/web/tool.ts';
import type { Day } from '../domain/week.ts';
import { beginOf } from './realDay.ts';

const SHOWN = 'timetable.doings';

/** What the tools know of what was really done. */
export const doingsOptions = (site: Site) =>
  queryOptions({
    queryKey: ['timetable', 'doings'],
    queryFn: (): Promise<readonly Doings[]> => Promise.all(site.doings.map((load) => load())),
    enabled: site.doings.length > 0,
    staleTime: Infinity,
  });

export const stretchesOptions = (doings: Doings, monday: Day) =>
  queryOptions({
    queryKey: ['timetable', 'done', doings.name, monday],
    queryFn: () => doings.between(beginOf(monday), beginOf(monday + 7)),
    staleTime: 60_000,
  });

const together = (results: readonly UseQueryResult<readonly DoneStretch[]>[]): readonly DoneStretch[] | undefined =>
  results.length === 0 ? undefined : results.flatMap(({ data = [] }) => data);

/** Switches for what tools know of what was done, and what is shown of it. Undefined while nothing is to be shown. */
export const useDoings = (monday: Day) => {
  const site = useSite();
  const { data: offered = [] } = useQuery(doingsOptions(site));
  const [kept, setKept] = useState(() => remember.get(SHOWN) ?? '');
  const shown = useMemo(() => kept.split('\n').filter((name) => name !== ''), [kept]);
  const stretches = useQueries({
    queries: offered.filter(({ name }) => shown.includes(name)).map((doings) => stretchesOptions(doings, monday)),
    combine: together,
  });
  const toggle = (name: string): void => {
    const next = (shown.includes(name) ? shown.filter((each) => each !== name) : [...shown, name]).join('\n');
    setKept(next);
    remember.set(SHOWN, next);
  };
  const switches = offered.map(({ name }) => ({ name, isOn: shown.includes(name) }));
  return { switches, toggle, stretches };
};
