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
import { getColours, statusColours, TOTAL_COLOURS } from '../../sorting/domain/applicationColours.ts';
import { toIso, type Day, SLOT_SECONDS, type ZoneDays } from '../../usage/domain/days.ts';
import { lastUsedWords } from '../../usage/domain/formats.ts';
import type { UsageInterval } from '../../usage/domain/interval.ts';
import { ALL_APPLICATIONS, type SecondRange } from '../../usage/domain/track.ts';
import type { Application } from '../../usage/server/store/applicationStore.ts';
import type { DeviceTracks } from '../../usage/server/store/segmentStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { type DayRange, type DaySums, getBounds, lengthOfRange } from '../domain/daySums.ts';
import { toSegments, type DaySegment } from '../domain/lane.ts';
import { computeHourDensity, HOUR_NAMES, computeStats, localMoment, wallHour } from '../domain/statistics.ts';
import type { ClosedDayCache } from './closedDayCache.ts';
import { openings } from './openings.ts';
import type { RequestClock } from './requestClock.ts';
import { type Sources, secondsByDay, type Scope, allDays, getLastClosedDay } from './usageQueries.ts';

interface TimelinesSources {
  readonly usage: UsageStore;
  readonly closedDays: ClosedDayCache;
}

/** Undefined: all applications together. */
type TimelinesApplicationFilter = number | undefined;

/** One member per day: ISO date and segments. */
type Timelines = readonly JsonMembers<readonly DaySegment[]>[];

/** Estimated memory. */
const SPAN_BYTES = 60;

/** Returns the intervals of one application, or of all. */
const selectIntervals = (all: readonly DeviceTracks[], filter: TimelinesApplicationFilter): readonly UsageInterval[] =>
  all.flatMap(({ tracks }) =>
    tracks
      .filter(({ application }) => filter === undefined || application === filter)
      .flatMap(({ application, status, spans }) =>
        spans.map(({ from, until }) => ({ application, status, from, until })),
      ),
  );

/** Groups intervals by the days they overlap. */
const groupByDay = (
  intervals: readonly UsageInterval[],
  days: ZoneDays,
  range: DayRange,
): readonly (readonly UsageInterval[])[] => {
  const intervalsByDay: UsageInterval[][] = Array.from({ length: lengthOfRange(range) }, () => []);
  for (const interval of intervals)
    for (let day = days.getDay(interval.from); day <= days.getDay(interval.until - 1); day += 1)
      intervalsByDay[day - range.from]?.push(interval);
  return intervalsByDay;
};

const writeSegment = createObjectWriter<DaySegment>(['status', 'timestamp']);

const formatDay = (
  all: readonly DeviceTracks[],
  filter: TimelinesApplicationFilter,
  days: ZoneDays,
  range: DayRange,
): Timelines =>
  groupByDay(selectIntervals(all, filter), days, range).map((intervals, at) => {
    const day = range.from + at;
    const segments = toSegments(intervals, getBounds(days, { from: day, until: day }));
    return writeMember(toJsonKey(toIso(day)), writeArray(segments.map(writeSegment)));
  });

/** Computes the timeline of one application or all together, on each of these days. */
export async function timelines(
  { usage, closedDays }: TimelinesSources,
  { account, device, days }: Scope,
  {
    filter,
    today,
    now,
    ...range
  }: DayRange & { readonly filter: TimelinesApplicationFilter; readonly today: Day; readonly now: number },
): Promise<Timelines> {
  /** Cuts the future: clocks of computers may be a little ahead. */
  const untilNow = ({ from, until }: SecondRange): SecondRange => ({
    from,
    until: Math.min(until, Math.max(from, now)),
  });
  const read = async (part: DayRange) =>
    usage.segments.listBetween(account, { device, ...untilNow(getBounds(days, part)) });
  const complete = { from: range.from, until: Math.min(range.until, getLastClosedDay(today)) };
  const open = { from: Math.max(range.from, complete.until + 1), until: range.until };
  /** Tracks are cached for all applications together. */
  const readTracks = async (): Promise<readonly DeviceTracks[]> => {
    const name = `tracks ${device ?? 'all'} ${days.zone} ${complete.from} ${complete.until}`;
    return closedDays.getOrCompute(account, { name, ...getBounds(days, complete) }, async () => {
      const value = await read(complete);
      const spans = value.flatMap(({ tracks }) => tracks).reduce((sum, track) => sum + track.spans.length, 0);
      return { value, bytes: spans * SPAN_BYTES };
    });
  };
  const readTimelines = async (): Promise<Timelines> => {
    const name = `line ${filter ?? 'total'} ${device ?? 'all'} ${days.zone} ${complete.from} ${complete.until}`;
    return closedDays.getOrCompute(account, { name, ...getBounds(days, complete) }, async () => {
      const value = formatDay(await readTracks(), filter, days, complete);
      return { value, bytes: value.reduce((bytes, { length }) => bytes + length, 0) };
    });
  };
  return [
    ...(lengthOfRange(complete) > 0 ? await readTimelines() : []),
    ...(lengthOfRange(open) > 0 ? formatDay(await read(open), filter, days, open) : []),
  ];
}

/** Undefined: all applications together. */
type ApplicationFilter = Application | undefined;
const getId = (application: ApplicationFilter): number => application?.id ?? ALL_APPLICATIONS;

const coloursOnWire = (application: ApplicationFilter) => {
  const colours = application ? getColours(application.colour) : TOTAL_COLOURS;
  return { colouron: colours.on, colouroff: colours.off, ...statusColours(colours) };
};

export interface ApplicationQuery {
  readonly clock: RequestClock;
  readonly scope: Scope;
  readonly application: ApplicationFilter;
  /** Days of the segments. */
  readonly segmentDays: DayRange;
}

export function recentDays(today: Day): DayRange {
  return { from: today - RECENT_DAYS + 1, until: today };
}

const total = (sums: DaySums | undefined): number => sums?.reduce((sum, seconds) => sum + seconds, 0) ?? 0;

/** Sums the last `count` days, except the last `skipped` days. */
const sumLast = (sums: DaySums | undefined, count: number, skipped = 0): number =>
  sums === undefined
    ? 0
    : total(sums.slice(Math.max(0, sums.length - count - skipped), Math.max(0, sums.length - skipped)));

/** Computes in which hours of the last 14 days an application was focused. */
const computeDensity = async (
  { slots }: UsageStore,
  { clock, scope, application }: ApplicationQuery,
): Promise<readonly number[]> => {
  const { days, today } = clock;
  const { from, until } = recentDays(today);
  const series = await slots.listBetween(scope.account, {
    device: scope.device,
    applications: [getId(application)],
    from: days.getStart(from),
    until: days.getStart(until + 1),
  });
  const used = series.flatMap((each) => each.slots).map((slot) => slot * SLOT_SECONDS);
  return computeHourDensity(
    used.map((moment) => ({ day: days.getDay(moment), hour: wallHour(days, moment) })),
    RECENT_DAYS,
  );
};

/**
 * Serializes everything about an application for `returnspecificapplication`; JSON, because it has the days of years.
 * Also returns the seconds of all applications, which show the days with use.
 */
export async function applicationAnswer(sources: Sources, query: ApplicationQuery) {
  const { usage: store, reading } = sources;
  const { clock, scope, application } = query;
  const { days, now, today } = clock;
  const id = getId(application);
  const range = await allDays(sources, scope, clock);
  const [sums, opened, hours, timeline, last] = await Promise.all([
    secondsByDay(sources, scope, { ...range, applications: [...new Set([id, ALL_APPLICATIONS])] }, today),
    openings(sources, scope, { ...recentDays(today), applications: [id] }, today),
    computeDensity(store, query),
    timelines(sources, scope, { ...query.segmentDays, filter: application?.id, today, now }),
    reading.findLastUse(scope.account, scope.device, id),
  ]);
  const [own, all] = [sums.get(id), sums.get(ALL_APPLICATIONS)];
  const playtime: JsonMembers<number>[] = [];
  for (const [at, seconds] of own?.entries() ?? [])
    if (seconds > 0) playtime.push(writeNumberMember(toJsonKey(toIso(range.from + at)), seconds));
  const { opened: timesopened = 0, longest: longeststretch = 0 } = opened.get(id) ?? {};
  const stats = {
    ...computeStats({
      recent: sumLast(own, RECENT_DAYS),
      before: sumLast(own, RECENT_DAYS, RECENT_DAYS),
      ever: total(own),
      all: { recent: sumLast(all, RECENT_DAYS), ever: total(all) },
    }),
    lastused: lastUsedWords(last === undefined ? undefined : localMoment(days, last), localMoment(days, now)),
    densityinfo: { enabled: hours.some((percent) => percent > 0), density: hours, divisionnames: HOUR_NAMES },
    timesopened,
    longeststretch,
  };
  const dates: readonly JsonMembers<readonly DaySegment[] | Readonly<Record<string, number>>>[] = [
    writeMember(toJsonKey('playtime'), writeRecord(playtime)),
    ...timeline,
  ];
  return {
    all,
    text: writeObject({
      metadata: toJson({ colours: coloursOnWire(application) }),
      stats: toJson(stats),
      datespecific: writeRecord(dates),
    }),
  };
}
