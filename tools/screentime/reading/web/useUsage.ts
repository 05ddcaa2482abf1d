import { useQueries, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { deviceChanged } from '#platform/contract/device.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { createLiveStaleTime } from '#platform/web/app/liveStaleTime.ts';
import { useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import {
  categoriesChanged,
  returnapplications,
  returnspecificapplication,
  usageChanged,
  usagecomputers,
  usageperiod,
} from '../../contract.ts';
import { STATUSES, type Status } from '../../contract/limits.ts';
import { toComputerNames } from '../../usage/domain/formats.ts';
import { SCREEN_TIME, getZoneFields } from '../../web/usageClock.ts';
import { createLane, type DaySegment, type Lane } from '../domain/lane.ts';
import type { Period } from '../domain/period.ts';
import type { Computers, Scope, ShownApplication } from './viewTypes.ts';

/** An application in the answer. Derived values are cached per object; query results share unchanged parts. */
export type ApplicationData = AnswerOf<typeof returnspecificapplication>['data'][string];

/** 60 s of a 24-hour day: less is not visible. */
const GAP_PERCENT = 100 / 1440;

const laneCache = new WeakMap<readonly DaySegment[], Lane>();
function getLane(segments: readonly DaySegment[]): Lane {
  const cached = laneCache.get(segments) ?? createLane(segments, GAP_PERCENT);
  laneCache.set(segments, cached);
  return cached;
}

const getOwn = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** Returns the segments of a day (ISO date); undefined if this answer lacks them. */
export function findDayLane({ datespecific }: ApplicationData, date: string): Lane | undefined {
  const segments = getOwn(datespecific, date);
  return Array.isArray(segments) ? getLane(segments) : undefined;
}

/** Returns focused seconds of a day. */
export function getDaySeconds({ datespecific }: ApplicationData, date: string): number {
  const playtime = datespecific['playtime'];
  return playtime === undefined || Array.isArray(playtime) ? 0 : (getOwn(playtime, date) ?? 0);
}

export function formatRgb([red, green, blue]: readonly [number, number, number]): string {
  return `rgb(${red} ${green} ${blue})`;
}

/** A loaded application, for the parts of the page and the timeline. */
export interface LoadedApplication extends ShownApplication {
  readonly data: ApplicationData;
  /** CSS colours by status. */
  readonly colours: Readonly<Record<Status, string>>;
}

const applicationCache = new WeakMap<ApplicationData, LoadedApplication>();
const NEUTRAL_COLOUR = 'rgb(119 128 143)';

export function toLoadedApplication(name: string, data: ApplicationData): LoadedApplication {
  const cached = applicationCache.get(data);
  if (cached) return cached;
  const wireColours = data.metadata.colours;
  const mainColour = getOwn(wireColours, 'on');
  const colour = mainColour ? formatRgb(mainColour) : NEUTRAL_COLOUR;
  const colours = Object.fromEntries(
    STATUSES.map((status) => [
      status,
      getOwn(wireColours, status) ? formatRgb(getOwn(wireColours, status) ?? [0, 0, 0]) : colour,
    ]),
  ) as Record<Status, string>;
  const application: LoadedApplication = { name, colour, stats: data.stats, data, colours };
  applicationCache.set(data, application);
  return application;
}

const COMPUTERS = [SCREEN_TIME, 'computers'] as const;

/** While connected, every change is notified. */
const getStaleTime = createLiveStaleTime([usageChanged, categoriesChanged]);

/** Loads the current names of the account's computers. */
export function useComputers(isEnabled: boolean): UseQueryResult<Computers> {
  const queryClient = useQueryClient();
  useRealtimeEvent(deviceChanged, () => void queryClient.invalidateQueries({ queryKey: COMPUTERS }));
  return useQuery({
    queryKey: COMPUTERS,
    enabled: isEnabled,
    staleTime: getStaleTime,
    queryFn: async (): Promise<Computers> => toComputerNames((await call(usagecomputers, {})).computers),
  });
}

/** Loads the list of applications and days. */
export function useApplications(deviceid: string, isEnabled: boolean) {
  return useQuery({
    queryKey: [SCREEN_TIME, 'applications', deviceid],
    enabled: isEnabled,
    staleTime: getStaleTime,
    queryFn: () => call(returnapplications, { ...getZoneFields(), deviceid }),
  });
}

const toHours = ({
  applications,
}: {
  readonly applications: readonly { readonly name: string; readonly seconds: number }[];
}) => new Map(applications.map(({ name, seconds }) => [name, seconds / HOUR_SECONDS]));

/** Loads hours of the last two weeks by application. `first` and `last` are ISO dates. */
export function useHours(
  { deviceid, wall }: Scope,
  days: { readonly first: string; readonly last: string } | undefined,
): ReadonlyMap<string, number> | undefined {
  return useQuery({
    queryKey: [SCREEN_TIME, 'hours', deviceid, wall, days],
    enabled: days !== undefined,
    staleTime: getStaleTime,
    queryFn: () =>
      call(usageperiod, { ...getZoneFields(), deviceid, wall, from: days?.first ?? '', until: days?.last ?? '' }),
    select: toHours,
  }).data;
}

async function loadApplication(
  { deviceid, wall }: Scope,
  applicationname: string,
  days: { readonly from?: string; readonly until?: string },
): Promise<ApplicationData> {
  const response = await call(returnspecificapplication, {
    ...getZoneFields(),
    deviceid,
    wall,
    applicationname,
    ...days,
  });
  const data = getOwn(response.data, applicationname);
  if (!data)
    throw new Refusal('screentime.application_not_found', `The application ${applicationname} no longer exists`);
  return data;
}

export function getApplicationKey(scope: Scope, name: string) {
  return [SCREEN_TIME, 'application', scope.deviceid, scope.wall, name] as const;
}

/** An application that failed to load, with its error. */
export interface FailedApplication {
  readonly name: string;
  readonly error: Error;
}

type Results = readonly UseQueryResult<ApplicationData>[];

const listFailed = (results: Results, getName: (index: number) => string | undefined): readonly FailedApplication[] =>
  results.flatMap(({ error, data }, index) => (error && !data ? [{ name: getName(index) ?? '', error }] : []));

/** Returns a function that reloads everything that failed. */
export function useRetry(): () => void {
  const queryClient = useQueryClient();
  return () =>
    void queryClient.refetchQueries({
      queryKey: [SCREEN_TIME],
      type: 'active',
      predicate: ({ state }) => state.status === 'error',
    });
}

export interface LoadedApplications {
  /** Keyed by name. A map, because query results in plain objects are compared number by number. */
  readonly loaded: ReadonlyMap<string, LoadedApplication>;
  /** Whether any is still loading. */
  readonly isPending: boolean;
  readonly failed: readonly FailedApplication[];
}

/** Loads these applications. */
export function useLoadedApplications(scope: Scope, names: readonly string[], isEnabled: boolean): LoadedApplications {
  const combine = useCallback(
    (results: Results): LoadedApplications => ({
      loaded: new Map(
        results.flatMap(({ data }, index): [string, LoadedApplication][] => {
          const name = names[index] ?? '';
          return data ? [[name, toLoadedApplication(name, data)]] : [];
        }),
      ),
      isPending: results.some(({ isPending }) => isPending),
      failed: listFailed(results, (index) => names[index]),
    }),
    [names],
  );
  // Stable while the request is the same. Otherwise all queries would be compared at each render.
  const queries = useMemo(
    () =>
      names.map((name) => ({
        queryKey: getApplicationKey(scope, name),
        enabled: isEnabled,
        staleTime: getStaleTime,
        queryFn: () => loadApplication(scope, name, {}),
      })),
    [scope, names, isEnabled],
  );
  return useQueries({ queries, combine });
}

export type EarlierUsage = ReadonlyMap<string, readonly ApplicationData[]>;

interface EarlierUsageResult {
  readonly earlier: EarlierUsage;
  readonly failed: readonly FailedApplication[];
}

/** Loads segments of days before the last two weeks, by application. */
export function useEarlierUsage(
  scope: Scope,
  names: readonly string[],
  periods: readonly Period[],
): EarlierUsageResult {
  const combine = useCallback(
    (results: Results): EarlierUsageResult => ({
      earlier: new Map(
        names.map((name, index) => [
          name,
          results
            .slice(index * periods.length, (index + 1) * periods.length)
            .flatMap(({ data }) => (data ? [data] : [])),
        ]),
      ),
      failed: listFailed(results, (index) => names[Math.floor(index / periods.length)]),
    }),
    [names, periods],
  );
  const queries = useMemo(
    () =>
      names.flatMap((name) =>
        periods.map((period) => ({
          queryKey: [...getApplicationKey(scope, name), period],
          staleTime: getStaleTime,
          queryFn: () => loadApplication(scope, name, { from: period.from, until: period.until }),
        })),
      ),
    [scope, names, periods],
  );
  return useQueries({ queries, combine });
}
