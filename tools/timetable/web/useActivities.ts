import { queryOptions, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { useWebSite, type WebSite } from '#platform/web/app/site.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import type { ActivitySource, ActivityInterval } from '#platform/web/tool.ts';
import { getDayStart } from './localDays.ts';

const SHOWN_KEY = 'timetable.doings';

/** Creates the query for the activity sources of other tools. */
export function createSourcesQuery(site: WebSite) {
  return queryOptions({
    queryKey: ['timetable', 'doings'],
    queryFn: (): Promise<readonly ActivitySource[]> => Promise.all(site.activitySources.map((load) => load())),
    enabled: site.activitySources.length > 0,
    staleTime: Infinity,
  });
}

export function createActivitiesQuery(source: ActivitySource, monday: Day) {
  return queryOptions({
    queryKey: ['timetable', 'done', source.name, monday],
    queryFn: () => source.listBetween(getDayStart(monday), getDayStart(monday + 7)),
    staleTime: 60_000,
  });
}

const combineResults = (
  results: readonly UseQueryResult<readonly ActivityInterval[]>[],
): readonly ActivityInterval[] | undefined =>
  results.length === 0 ? undefined : results.flatMap(({ data = [] }) => data);

/** Returns switches for activity sources, and the activities to show; undefined if none are shown. */
export function useActivities(monday: Day) {
  const site = useWebSite();
  const { data: sources = [] } = useQuery(createSourcesQuery(site));
  const [storedNames, setStoredNames] = useState(() => browserStorage.get(SHOWN_KEY) ?? '');
  const shownNames = useMemo(() => storedNames.split('\n').filter((name) => name !== ''), [storedNames]);
  const intervals = useQueries({
    queries: sources
      .filter(({ name }) => shownNames.includes(name))
      .map((source) => createActivitiesQuery(source, monday)),
    combine: combineResults,
  });
  function toggle(name: string): void {
    const next = (
      shownNames.includes(name) ? shownNames.filter((shownName) => shownName !== name) : [...shownNames, name]
    ).join('\n');
    setStoredNames(next);
    browserStorage.set(SHOWN_KEY, next);
  }
  const switches = sources.map(({ name }) => ({ name, isOn: shownNames.includes(name) }));
  return { switches, toggle, intervals };
}
