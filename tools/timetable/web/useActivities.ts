import { queryOptions, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { useWebSite, type WebSite } from '#platform/web/app/site.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import type { ActivitySource, ActivityInterval } from '#platform/web/tool.ts';
import { getDayStart } from './realDays.ts';

const SHOWN_KEY = 'timetable.doings';

/** Query for the activity sources of other tools. */
export function activitySourcesQuery(site: WebSite) {
  return queryOptions({
    queryKey: ['timetable', 'doings'],
    queryFn: (): Promise<readonly ActivitySource[]> => Promise.all(site.activitySources.map((load) => load())),
    enabled: site.activitySources.length > 0,
    staleTime: Infinity,
  });
}

export function activitiesQuery(activities: ActivitySource, monday: Day) {
  return queryOptions({
    queryKey: ['timetable', 'done', activities.name, monday],
    queryFn: () => activities.listBetween(getDayStart(monday), getDayStart(monday + 7)),
    staleTime: 60_000,
  });
}

const together = (
  results: readonly UseQueryResult<readonly ActivityInterval[]>[],
): readonly ActivityInterval[] | undefined =>
  results.length === 0 ? undefined : results.flatMap(({ data = [] }) => data);

/** Returns switches for activity sources, and the activities to show; undefined if none are shown. */
export function useActivities(monday: Day) {
  const site = useWebSite();
  const { data: offered = [] } = useQuery(activitySourcesQuery(site));
  const [storedNames, setStoredNames] = useState(() => browserStorage.get(SHOWN_KEY) ?? '');
  const names = useMemo(() => storedNames.split('\n').filter((name) => name !== ''), [storedNames]);
  const intervals = useQueries({
    queries: offered
      .filter(({ name }) => names.includes(name))
      .map((activities) => activitiesQuery(activities, monday)),
    combine: together,
  });
  const toggle = (name: string): void => {
    const next = (names.includes(name) ? names.filter((each) => each !== name) : [...names, name]).join('\n');
    setStoredNames(next);
    browserStorage.set(SHOWN_KEY, next);
  };
  const switches = offered.map(({ name }) => ({ name, isOn: names.includes(name) }));
  return { switches, toggle, stretches: intervals };
}
