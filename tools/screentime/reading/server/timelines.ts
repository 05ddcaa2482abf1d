import { toIso } from '../../usage/domain/date.ts';
import type { Day, ZoneDays } from '../../usage/domain/days.ts';
import type { SecondRange } from '../../usage/domain/track.ts';
import type { DeviceTracks } from '../../usage/server/store/segmentStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { boundsOf, lengthOfRange, type DayRange } from '../domain/daySums.ts';
import { segmentsOf, type Segment, type TimelineInterval } from '../domain/timeline.ts';
import type { ClosedDayCache } from './closedDayCache.ts';
import { lastOver, type Scope } from './usageQueries.ts';

interface Sources {
  readonly usage: UsageStore;
  readonly finished: ClosedDayCache;
}

/** Undefined is all of them together. */
type ApplicationFilter = number | undefined;

/** JSON: ISO date to what was when, of each day. */
type Timelines = readonly string[];

/** In memory, about. */
const SPAN_BYTES = 60;

/** The stretches of one application, or of all of them. */
const stretchesOf = (all: readonly DeviceTracks[], wanted: ApplicationFilter): readonly TimelineInterval[] =>
  all.flatMap(({ tracks }) =>
    tracks
      .filter(({ application }) => wanted === undefined || application === wanted)
      .flatMap(({ status, spans }) => spans.map(({ from, until }) => ({ status, from, until }))),
  );

/** Day by day what reaches into it. */
const byDay = (
  stretches: readonly TimelineInterval[],
  days: ZoneDays,
  range: DayRange,
): readonly (readonly TimelineInterval[])[] => {
  const found: TimelineInterval[][] = Array.from({ length: lengthOfRange(range) }, () => []);
  for (const stretch of stretches)
    for (let day = days.dayOf(stretch.from); day <= days.dayOf(stretch.until - 1); day += 1)
      found[day - range.from]?.push(stretch);
  return found;
};

const written = ({ status, timestamp }: Segment): string => `{"status":"${status}","timestamp":${timestamp}}`;

const drawn = (all: readonly DeviceTracks[], wanted: ApplicationFilter, days: ZoneDays, range: DayRange): Timelines =>
  byDay(stretchesOf(all, wanted), days, range).map((stretches, at) => {
    const day = range.from + at;
    const segments = segmentsOf(stretches, boundsOf(days, { from: day, until: day }));
    return `"${toIso(day)}":[${segments.map(written).join(',')}]`;
  });

/** Of an application, or of all of them together, each of these days. */
export const timelines = async (
  { usage, finished }: Sources,
  { account, device, days }: Scope,
  {
    wanted,
    today,
    now,
    ...range
  }: DayRange & { readonly wanted: ApplicationFilter; readonly today: Day; readonly now: number },
): Promise<Timelines> => {
  /** Clocks of computers may be a little ahead: nothing is drawn behind now. */
  const untilNow = ({ from, until }: SecondRange): SecondRange => ({
    from,
    until: Math.min(until, Math.max(from, now)),
  });
  const read = async (part: DayRange) => usage.segments.between(account, { device, ...untilNow(boundsOf(days, part)) });
  const over = { from: range.from, until: Math.min(range.until, lastOver(today)) };
  const open = { from: Math.max(range.from, over.until + 1), until: range.until };
  /** Whichever application is asked for, it is found in the same ones. */
  const kept = async (): Promise<readonly DeviceTracks[]> => {
    const name = `tracks ${device ?? 'all'} ${days.zone} ${over.from} ${over.until}`;
    return finished.of(account, { name, ...boundsOf(days, over) }, async () => {
      const value = await read(over);
      const spans = value.flatMap(({ tracks }) => tracks).reduce((sum, track) => sum + track.spans.length, 0);
      return { value, bytes: spans * SPAN_BYTES };
    });
  };
  const line = async (): Promise<Timelines> => {
    const name = `line ${wanted ?? 'total'} ${device ?? 'all'} ${days.zone} ${over.from} ${over.until}`;
    return finished.of(account, { name, ...boundsOf(days, over) }, async () => {
      const value = drawn(await kept(), wanted, days, over);
      return { value, bytes: value.reduce((bytes, { length }) => bytes + length, 0) };
    });
  };
  return [
    ...(lengthOfRange(over) > 0 ? await line() : []),
    ...(lengthOfRange(open) > 0 ? drawn(await read(open), wanted, days, open) : []),
  ];
};
