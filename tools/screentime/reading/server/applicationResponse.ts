import {
  createObjectWriter,
  toJson,
  toJsonKey,
  writeArray,
  writeMember,
  writeNumberMember,
  writeObject,
  writeRecord,
  type JsonMembers,
} from '#platform/server/http/jsonText.ts';
import { RECENT_DAYS } from '../../contract/limits.ts';
import { getColours, getStatusColours, TOTAL_COLOURS } from '../../sorting/domain/applicationColours.ts';
import { toIso, type Day, SLOT_SECONDS, type ZoneDays } from '../../usage/domain/days.ts';
import { formatLastUsed } from '../../usage/domain/formats.ts';
import type { UsageInterval } from '../../usage/domain/interval.ts';
import { ALL_APPLICATIONS, type SecondRange } from '../../usage/domain/track.ts';
import type { Application } from '../../usage/server/store/applicationStore.ts';
import type { DeviceTracks } from '../../usage/server/store/segmentStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { type DayRange, type DaySums, getBounds, countDays } from '../domain/daySums.ts';
import { toSegments, type DaySegment } from '../domain/lane.ts';
import { computeHourDensity, HOUR_NAMES, computeStats, toLocalMoment, getLocalHour } from '../domain/statistics.ts';
import { loadOpenings } from './openings.ts';
import type { RequestClock } from './requestClock.ts';
import {
  type UsageQueryDeps,
  loadSecondsByDay,
  type Scope,
  getUsedDays,
  type CachedQueryDeps,
  getLastClosedDay,
} from './usageQueries.ts';

/** Undefined: all applications together. */
type TimelineFilter = number | undefined;

/** JSON members, one per day: ISO date and segments. */
type Timelines = readonly JsonMembers<readonly DaySegment[]>[];

/** Estimated memory of a range. */
const RANGE_BYTES = 60;

/** Returns the intervals of one application, or of all. */
const selectIntervals = (computers: readonly DeviceTracks[], filter: TimelineFilter): readonly UsageInterval[] =>
  computers.flatMap(({ tracks }) =>
    tracks
      .filter(({ application }) => filter === undefined || application === filter)
      .flatMap(({ application, status, ranges }) =>
        ranges.map(({ from, until }) => ({ application, status, from, until })),
      ),
  );

/** Returns the intervals that overlap each day of a range. */
function groupByDay(
  intervals: readonly UsageInterval[],
  days: ZoneDays,
  range: DayRange,
): readonly (readonly UsageInterval[])[] {
  const intervalsByDay: UsageInterval[][] = Array.from({ length: countDays(range) }, () => []);
  for (const interval of intervals)
    for (let day = days.getDay(interval.from); day <= days.getDay(interval.until - 1); day += 1)
      intervalsByDay[day - range.from]?.push(interval);
  return intervalsByDay;
}

const writeSegment = createObjectWriter<DaySegment>(['status', 'timestamp']);

const writeTimelines = (
  computers: readonly DeviceTracks[],
  filter: TimelineFilter,
  days: ZoneDays,
  range: DayRange,
): Timelines =>
  groupByDay(selectIntervals(computers, filter), days, range).map((intervals, index) => {
    const day = range.from + index;
    const segments = toSegments(intervals, getBounds(days, { from: day, until: day }));
    return writeMember(toJsonKey(toIso(day)), writeArray(segments.map(writeSegment)));
  });

/** Returns the timelines of one application or all together on these days. */
export async function loadTimelines(
  { usage, closedDays: cache }: CachedQueryDeps,
  { account, device, days }: Scope,
  {
    filter,
    today,
    now,
    ...range
  }: DayRange & { readonly filter: TimelineFilter; readonly today: Day; readonly now: number },
): Promise<Timelines> {
  /** Removes the future: clocks of computers may be a little ahead. */
  const cutFuture = ({ from, until }: SecondRange): SecondRange => ({
    from,
    until: Math.min(until, Math.max(from, now)),
  });
  const loadTracks = async (loadedRange: DayRange) =>
    usage.segments.listBetween(account, { device, ...cutFuture(getBounds(days, loadedRange)) });
  const closedRange = { from: range.from, until: Math.min(range.until, getLastClosedDay(today)) };
  const openRange = { from: Math.max(range.from, closedRange.until + 1), until: range.until };
  /** Returns the tracks of all applications, because the cache is shared by their timelines. */
  async function loadClosedTracks(): Promise<readonly DeviceTracks[]> {
    const key = `tracks ${device ?? 'all'} ${days.zone} ${closedRange.from} ${closedRange.until}`;
    return cache.getOrCompute(account, { key, ...getBounds(days, closedRange) }, async () => {
      const value = await loadTracks(closedRange);
      const rangeCount = value.flatMap(({ tracks }) => tracks).reduce((sum, { ranges }) => sum + ranges.length, 0);
      return { value, bytes: rangeCount * RANGE_BYTES };
    });
  }
  async function loadClosedTimelines(): Promise<Timelines> {
    const key = `line ${filter ?? 'total'} ${device ?? 'all'} ${days.zone} ${closedRange.from} ${closedRange.until}`;
    return cache.getOrCompute(account, { key, ...getBounds(days, closedRange) }, async () => {
      const value = writeTimelines(await loadClosedTracks(), filter, days, closedRange);
      return { value, bytes: value.reduce((bytes, { length }) => bytes + length, 0) };
    });
  }
  return [
    ...(countDays(closedRange) > 0 ? await loadClosedTimelines() : []),
    ...(countDays(openRange) > 0 ? writeTimelines(await loadTracks(openRange), filter, days, openRange) : []),
  ];
}

/** Undefined: all applications together. */
type ApplicationFilter = Application | undefined;
const getId = (application: ApplicationFilter): number => application?.id ?? ALL_APPLICATIONS;

function toWireColours(application: ApplicationFilter) {
  const colours = application ? getColours(application.colour) : TOTAL_COLOURS;
  return { colouron: colours.on, colouroff: colours.off, ...getStatusColours(colours) };
}

export interface ApplicationQuery {
  readonly clock: RequestClock;
  readonly scope: Scope;
  readonly application: ApplicationFilter;
  readonly segmentDays: DayRange;
}

export function getRecentDays(today: Day): DayRange {
  return { from: today - RECENT_DAYS + 1, until: today };
}

const sumAll = (sums: DaySums | undefined): number => sums?.reduce((sum, seconds) => sum + seconds, 0) ?? 0;

/** Sums the last `count` days, except the last `skipped` days. */
const sumLast = (sums: DaySums | undefined, count: number, skipped = 0): number =>
  sums === undefined
    ? 0
    : sumAll(sums.slice(Math.max(0, sums.length - count - skipped), Math.max(0, sums.length - skipped)));

/** Returns the percentage of the last 14 days on which an application was focused, for each hour. */
async function computeDensity(
  { slots }: UsageStore,
  { clock, scope, application }: ApplicationQuery,
): Promise<readonly number[]> {
  const { days, today } = clock;
  const { from, until } = getRecentDays(today);
  const series = await slots.listBetween(scope.account, {
    device: scope.device,
    applications: [getId(application)],
    from: days.getStart(from),
    until: days.getStart(until + 1),
  });
  const usedMoments = series.flatMap(({ slots: usedSlots }) => usedSlots).map((slot) => slot * SLOT_SECONDS);
  return computeHourDensity(
    usedMoments.map((moment) => ({ day: days.getDay(moment), hour: getLocalHour(days, moment) })),
    RECENT_DAYS,
  );
}

/**
 * Serializes everything about an application for `returnspecificapplication`; JSON, because it has the days of years.
 * Also returns the seconds of all applications, which show the days with use.
 */
export async function writeApplicationResponse(deps: UsageQueryDeps, query: ApplicationQuery) {
  const { usage, reading } = deps;
  const { clock, scope, application } = query;
  const { days, now, today } = clock;
  const id = getId(application);
  const range = await getUsedDays(deps, scope, clock);
  const [sumsByApplication, openingsByApplication, hours, timeline, last] = await Promise.all([
    loadSecondsByDay(deps, scope, { ...range, applications: [...new Set([id, ALL_APPLICATIONS])] }, today),
    loadOpenings(deps, scope, { ...getRecentDays(today), applications: [id] }, today),
    computeDensity(usage, query),
    loadTimelines(deps, scope, { ...query.segmentDays, filter: application?.id, today, now }),
    reading.findLastUse(scope.account, scope.device, id),
  ]);
  const [sums, totalSums] = [sumsByApplication.get(id), sumsByApplication.get(ALL_APPLICATIONS)];
  const playtime: JsonMembers<number>[] = [];
  for (const [index, seconds] of sums?.entries() ?? [])
    if (seconds > 0) playtime.push(writeNumberMember(toJsonKey(toIso(range.from + index)), seconds));
  const { opened: timesopened = 0, longest: longeststretch = 0 } = openingsByApplication.get(id) ?? {};
  const stats = {
    ...computeStats({
      recent: sumLast(sums, RECENT_DAYS),
      before: sumLast(sums, RECENT_DAYS, RECENT_DAYS),
      ever: sumAll(sums),
      all: { recent: sumLast(totalSums, RECENT_DAYS), ever: sumAll(totalSums) },
    }),
    lastused: formatLastUsed(last === undefined ? undefined : toLocalMoment(days, last), toLocalMoment(days, now)),
    densityinfo: { enabled: hours.some((percent) => percent > 0), density: hours, divisionnames: HOUR_NAMES },
    timesopened,
    longeststretch,
  };
  const dates: readonly JsonMembers<readonly DaySegment[] | Readonly<Record<string, number>>>[] = [
    writeMember(toJsonKey('playtime'), writeRecord(playtime)),
    ...timeline,
  ];
  return {
    totalSums,
    text: writeObject({
      metadata: toJson({ colours: toWireColours(application) }),
      stats: toJson(stats),
      datespecific: writeRecord(dates),
    }),
  };
}
