import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { MAX_SEGMENTS_PER_DAY, MIN_REOPEN_GAP_MS } from '../../contract/limits.ts';
import type { Day, ZoneDays } from './days.ts';
import { isExclusive, type UsageInterval } from './interval.ts';
import {
  addRange,
  removeRange,
  listUncovered,
  type SecondRange,
  type Track,
  ALL_APPLICATIONS,
  findFirstAt,
  sumLengths,
  mergeRanges,
  clipRanges,
} from './track.ts';

/** Usage of one application on one device and day. */
export interface DayUse {
  readonly day: Day;
  /** Focused time. */
  readonly seconds: number;
  /** Times it got the focus after at least 30 s without it; for all applications together, the sum. */
  readonly opened: number;
  /** Longest focused interval within the day, in seconds. */
  readonly longest: number;
}

/** Getting the focus again within this time, in seconds, is not an opening. */
export const MIN_REOPEN_GAP_SECONDS = MIN_REOPEN_GAP_MS / 1000;

/** Focus of each application, from at least `MIN_REOPEN_GAP_SECONDS` before the first requested day. */
export type Focus = ReadonlyMap<number, readonly SecondRange[]>;

function countOpenings(ranges: readonly SecondRange[], { from, until }: SecondRange): number {
  const first = findFirstAt(ranges, from);
  let count = 0;
  let previousEnd = ranges[first - 1]?.until ?? Number.NEGATIVE_INFINITY;
  for (let index = first; index < ranges.length; index += 1) {
    const range = ranges[index];
    if (!range || range.from >= until) break;
    if (range.from >= from && range.from - previousEnd >= MIN_REOPEN_GAP_SECONDS) count += 1;
    previousEnd = range.until;
  }
  return count;
}

function sumUse(ranges: readonly SecondRange[], bounds: SecondRange): Omit<DayUse, 'day' | 'opened'> {
  const clipped = clipRanges(ranges, bounds);
  return {
    seconds: sumLengths(clipped),
    longest: clipped.reduce((longest, { from, until }) => Math.max(longest, until - from), 0),
  };
}

/**
 * Computes usage by application and day of a zone, and of all applications together if requested. Days without usage
 * are omitted.
 */
export function listUses(
  focus: Focus,
  zone: ZoneDays,
  days: readonly Day[],
  applications: readonly number[],
): ReadonlyMap<number, readonly DayUse[]> {
  const all = mergeRanges([...focus.values()].flat());
  const usesByApplication = new Map<number, DayUse[]>(applications.map((application) => [application, []]));
  for (const day of days) {
    const bounds = { from: zone.getStart(day), until: zone.getStart(day + 1) };
    for (const [application, uses] of usesByApplication) {
      const isAll = application === ALL_APPLICATIONS;
      const use = sumUse(isAll ? all : (focus.get(application) ?? []), bounds);
      if (use.seconds === 0) continue;
      const opened = isAll
        ? [...focus.values()].reduce((sum, ranges) => sum + countOpenings(ranges, bounds), 0)
        : countOpenings(focus.get(application) ?? [], bounds);
      uses.push({ day, ...use, opened });
    }
  }
  return usesByApplication;
}

/** Editable UTC days of one device. What is recorded has precedence over what is added (`isConflict`). */
export interface DeviceRecord {
  /** Adds the new part; returns its seconds. Undefined if a day would have too many segments. */
  readonly add: (interval: UsageInterval) => number | undefined;
  /** Returns the part that `add` would add. */
  readonly listUncovered: (interval: UsageInterval) => readonly SecondRange[];
  /** Removes the recorded part; returns its seconds. */
  readonly remove: (interval: UsageInterval) => number;
  /** Whether all of it is recorded. */
  readonly has: (interval: UsageInterval) => boolean;
  /** Whether none of it is recorded, and no other focus conflicts with it. */
  readonly isFree: (interval: UsageInterval) => boolean;
  /** Returns the changed days with their new tracks. */
  readonly getChangedDays: () => ReadonlyMap<Day, readonly Track[]>;
  readonly listTrackChanges: () => readonly TrackChange[];
  /** Returns the current tracks of a day. */
  readonly getTracks: (day: Day) => readonly Track[];
}

export interface TrackChange extends Pick<Track, 'application' | 'status'> {
  /** Seconds added minus seconds removed. */
  readonly netSeconds: number;
  /** Whether anything was removed, even if it was added again. */
  readonly hasLost: boolean;
  /** From the first to the last added second; undefined if none. */
  readonly added: SecondRange | undefined;
}

interface OpenDay {
  /** Keyed by application and status. */
  readonly tracks: Map<
    string,
    { readonly application: number; readonly status: Track['status']; readonly ranges: SecondRange[] }
  >;
  /** Exclusive intervals of any application. */
  readonly focus: SecondRange[];
  segments: number;
  isChanged: boolean;
}

const getKey = ({ application, status }: Pick<Track, 'application' | 'status'>): string => `${application} ${status}`;

/** Returns the range that covers both. */
export function coverRanges(a: SecondRange | undefined, b: SecondRange | undefined): SecondRange | undefined {
  return a && b ? { from: Math.min(a.from, b.from), until: Math.max(a.until, b.until) } : (a ?? b);
}

/** Returns the range that covers all; undefined if there are none. */
export function getExtent(ranges: readonly SecondRange[]): SecondRange | undefined {
  return ranges.reduce<SecondRange | undefined>(coverRanges, undefined);
}

function toOpenDay(stored: readonly Track[]): OpenDay {
  const tracks: OpenDay['tracks'] = new Map();
  const focus: SecondRange[] = [];
  let segments = 0;
  for (const { application, status, ranges } of stored) {
    tracks.set(getKey({ application, status }), { application, status, ranges: [...ranges] });
    segments += ranges.length;
    if (isExclusive(status)) for (const range of ranges) addRange(focus, range);
  }
  return { tracks, focus, segments, isChanged: false };
}

/**
 * Opens days for editing.
 * @param stored stored tracks by day; missing days are empty
 */
export function createDeviceRecord(stored: ReadonlyMap<Day, readonly Track[]>): DeviceRecord {
  const openDays = new Map<Day, OpenDay>();
  const trackChanges = new Map<string, TrackChange>();
  function recordChange({ application, status }: UsageInterval, seconds: number, range?: SecondRange): void {
    const key = getKey({ application, status });
    const { netSeconds = 0, hasLost = false, added: earlierRange } = trackChanges.get(key) ?? {};
    trackChanges.set(key, {
      application,
      status,
      netSeconds: netSeconds + seconds,
      hasLost: hasLost || seconds < 0,
      added: coverRanges(earlierRange, range),
    });
  }
  function getOpenDay(day: Day): OpenDay {
    const existing = openDays.get(day);
    if (existing) return existing;
    const openedDay = toOpenDay(stored.get(day) ?? []);
    openDays.set(day, openedDay);
    return openedDay;
  }
  function splitByDay({ from, until }: SecondRange): readonly (readonly [OpenDay, SecondRange])[] {
    const result: [OpenDay, SecondRange][] = [];
    for (let day = Math.floor(from / DAY_SECONDS); day * DAY_SECONDS < until; day += 1) {
      const bounds = { from: Math.max(from, day * DAY_SECONDS), until: Math.min(until, (day + 1) * DAY_SECONDS) };
      if (bounds.from < bounds.until) result.push([getOpenDay(day), bounds]);
    }
    return result;
  }
  const listRanges = (day: OpenDay, interval: UsageInterval): readonly SecondRange[] =>
    day.tracks.get(getKey(interval))?.ranges ?? [];
  const listConflicting = (day: OpenDay, interval: UsageInterval): readonly SecondRange[] =>
    isExclusive(interval.status) ? day.focus : listRanges(day, interval);

  function changeTrack(
    day: OpenDay,
    { application, status }: UsageInterval,
    applyChange: (ranges: SecondRange[]) => void,
  ): void {
    const key = getKey({ application, status });
    let track = day.tracks.get(key);
    if (!track) {
      track = { application, status, ranges: [] };
      day.tracks.set(key, track);
    }
    day.segments -= track.ranges.length;
    applyChange(track.ranges);
    day.segments += track.ranges.length;
    if (isExclusive(status)) applyChange(day.focus);
    day.isChanged = true;
  }

  const listTracks = (day: OpenDay): readonly Track[] =>
    [...day.tracks.values()].filter(({ ranges }) => ranges.length > 0);

  return {
    add: (interval) => {
      const parts = splitByDay(interval);
      if (parts.some(([{ segments }]) => segments >= MAX_SEGMENTS_PER_DAY)) return undefined;
      let seconds = 0;
      for (const [day, part] of parts)
        for (const range of listUncovered(listConflicting(day, interval), part)) {
          changeTrack(day, interval, (ranges) => addRange(ranges, range));
          recordChange(interval, range.until - range.from, range);
          seconds += range.until - range.from;
        }
      return seconds;
    },
    listUncovered: (interval) =>
      splitByDay(interval).flatMap(([day, part]) => listUncovered(listConflicting(day, interval), part)),
    remove: (interval) => {
      let seconds = 0;
      for (const [day, part] of splitByDay(interval)) {
        const missing = listUncovered(listRanges(day, interval), part);
        // Only its own part: removing more would delete the focus of other applications.
        const removedRanges = listUncovered(missing, part);
        if (removedRanges.length === 0) continue;
        changeTrack(day, interval, (ranges) => {
          for (const range of removedRanges) removeRange(ranges, range);
        });
        seconds += sumLengths(removedRanges);
      }
      if (seconds > 0) recordChange(interval, -seconds);
      return seconds;
    },
    has: (interval) =>
      splitByDay(interval).every(([day, part]) => listUncovered(listRanges(day, interval), part).length === 0),
    isFree: (interval) =>
      splitByDay(interval).every(([day, part]) => {
        const [first, ...more] = listUncovered(listConflicting(day, interval), part);
        return more.length === 0 && first?.from === part.from && first.until === part.until;
      }),
    getChangedDays: () =>
      new Map(
        [...openDays].filter(([, { isChanged }]) => isChanged).map(([day, openedDay]) => [day, listTracks(openedDay)]),
      ),
    listTrackChanges: () => [...trackChanges.values()],
    getTracks: (day) => {
      const openedDay = openDays.get(day);
      return openedDay ? listTracks(openedDay) : (stored.get(day) ?? []);
    },
  };
}
