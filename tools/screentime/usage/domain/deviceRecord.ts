import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { MAX_SEGMENTS_PER_DAY, MIN_REOPEN_GAP_MS } from '../../contract/limits.ts';
import type { Day, ZoneDays } from './days.ts';
import { isExclusive, type UsageInterval } from './interval.ts';
import {
  put,
  take,
  uncovered,
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
export const OPENED_AFTER = MIN_REOPEN_GAP_MS / 1000;

/** Focus of each application, from at least `OPENED_AFTER` before the first requested day. */
export type Focus = ReadonlyMap<number, readonly SecondRange[]>;

const countOpenings = (spans: readonly SecondRange[], { from, until }: SecondRange): number => {
  const first = findFirstAt(spans, from);
  let opened = 0;
  let previousEnd = spans[first - 1]?.until ?? Number.NEGATIVE_INFINITY;
  for (let at = first; at < spans.length; at += 1) {
    const span = spans[at];
    if (!span || span.from >= until) break;
    if (span.from >= from && span.from - previousEnd >= OPENED_AFTER) opened += 1;
    previousEnd = span.until;
  }
  return opened;
};

const sumUse = (spans: readonly SecondRange[], bounds: SecondRange): Omit<DayUse, 'day' | 'opened'> => {
  const inside = clipRanges(spans, bounds);
  return {
    seconds: sumLengths(inside),
    longest: inside.reduce((longest, { from, until }) => Math.max(longest, until - from), 0),
  };
};

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
        ? [...focus.values()].reduce((sum, spans) => sum + countOpenings(spans, bounds), 0)
        : countOpenings(focus.get(application) ?? [], bounds);
      uses.push({ day, ...use, opened });
    }
  }
  return usesByApplication;
}

/** Editable UTC days of one device. What is recorded has precedence over what is added (`isConflict`). */
export interface DeviceRecord {
  /** Adds the new part; returns its seconds. Undefined if a day would have too many segments. */
  readonly put: (interval: UsageInterval) => number | undefined;
  /** Returns the part that `put` would add. */
  readonly uncovered: (interval: UsageInterval) => readonly SecondRange[];
  /** Removes the recorded part; returns its seconds. */
  readonly take: (interval: UsageInterval) => number;
  /** Whether all of it is recorded. */
  readonly has: (interval: UsageInterval) => boolean;
  /** Whether none of it is recorded, and no other focus conflicts with it. */
  readonly isFree: (interval: UsageInterval) => boolean;
  /** Changed days, with their new tracks. */
  readonly changed: () => ReadonlyMap<Day, readonly Track[]>;
  readonly touched: () => readonly TrackChange[];
  /** Current tracks of a day. */
  readonly day: (day: Day) => readonly Track[];
}

/** Changes of one application and status. */
export interface TrackChange extends Pick<Track, 'application' | 'status'> {
  /** Seconds added. */
  readonly gained: number;
  /** Whether anything was removed, even if it was added again. */
  readonly hasLost: boolean;
  /** From the first to the last added second; undefined if none. */
  readonly put: SecondRange | undefined;
}

interface OpenDay {
  /** Keyed by application and status. */
  readonly tracks: Map<
    string,
    { readonly application: number; readonly status: Track['status']; readonly spans: SecondRange[] }
  >;
  /** Exclusive intervals of any application. */
  readonly focus: SecondRange[];
  segments: number;
  isChanged: boolean;
}

const getKey = ({ application, status }: Pick<Track, 'application' | 'status'>): string => `${application} ${status}`;

/** Returns the range that covers both. */
export function coverRanges(one: SecondRange | undefined, other: SecondRange | undefined): SecondRange | undefined {
  return one && other
    ? { from: Math.min(one.from, other.from), until: Math.max(one.until, other.until) }
    : (one ?? other);
}

const openDay = (stored: readonly Track[]): OpenDay => {
  const tracks: OpenDay['tracks'] = new Map();
  const focus: SecondRange[] = [];
  let segments = 0;
  for (const { application, status, spans } of stored) {
    tracks.set(getKey({ application, status }), { application, status, spans: [...spans] });
    segments += spans.length;
    if (isExclusive(status)) for (const span of spans) put(focus, span);
  }
  return { tracks, focus, segments, isChanged: false };
};

/**
 * Opens days for editing.
 * @param stored stored tracks by day; missing days are empty
 */
export function openRecord(stored: ReadonlyMap<Day, readonly Track[]>): DeviceRecord {
  const open = new Map<Day, OpenDay>();
  const touched = new Map<string, TrackChange>();
  const note = ({ application, status }: UsageInterval, seconds: number, span?: SecondRange): void => {
    const key = getKey({ application, status });
    const { gained = 0, hasLost = false, put: earlier } = touched.get(key) ?? {};
    touched.set(key, {
      application,
      status,
      gained: gained + seconds,
      hasLost: hasLost || seconds < 0,
      put: coverRanges(earlier, span),
    });
  };
  const at = (day: Day): OpenDay => {
    const known = open.get(day);
    if (known) return known;
    const opened = openDay(stored.get(day) ?? []);
    open.set(day, opened);
    return opened;
  };
  /** Splits a range by day. */
  const parts = ({ from, until }: SecondRange): readonly (readonly [OpenDay, SecondRange])[] => {
    const result: [OpenDay, SecondRange][] = [];
    for (let day = Math.floor(from / DAY_SECONDS); day * DAY_SECONDS < until; day += 1) {
      const bounds = { from: Math.max(from, day * DAY_SECONDS), until: Math.min(until, (day + 1) * DAY_SECONDS) };
      if (bounds.from < bounds.until) result.push([at(day), bounds]);
    }
    return result;
  };
  const listSpans = (day: OpenDay, interval: UsageInterval): readonly SecondRange[] =>
    day.tracks.get(getKey(interval))?.spans ?? [];
  const inTheWay = (day: OpenDay, interval: UsageInterval): readonly SecondRange[] =>
    isExclusive(interval.status) ? day.focus : listSpans(day, interval);

  const change = (day: OpenDay, { application, status }: UsageInterval, work: (spans: SecondRange[]) => void): void => {
    const key = getKey({ application, status });
    let track = day.tracks.get(key);
    if (!track) {
      track = { application, status, spans: [] };
      day.tracks.set(key, track);
    }
    day.segments -= track.spans.length;
    work(track.spans);
    day.segments += track.spans.length;
    if (isExclusive(status)) work(day.focus);
    day.isChanged = true;
  };

  const listTracks = (day: OpenDay): readonly Track[] =>
    [...day.tracks.values()].filter(({ spans }) => spans.length > 0);

  return {
    put: (interval) => {
      const own = parts(interval);
      if (own.some(([{ segments }]) => segments >= MAX_SEGMENTS_PER_DAY)) return undefined;
      let seconds = 0;
      for (const [day, part] of own)
        for (const span of uncovered(inTheWay(day, interval), part)) {
          change(day, interval, (spans) => put(spans, span));
          note(interval, span.until - span.from, span);
          seconds += span.until - span.from;
        }
      return seconds;
    },
    uncovered: (interval) => parts(interval).flatMap(([day, part]) => uncovered(inTheWay(day, interval), part)),
    take: (interval) => {
      let seconds = 0;
      for (const [day, part] of parts(interval)) {
        const missing = uncovered(listSpans(day, interval), part);
        const there = part.until - part.from - missing.reduce((sum, { from, until }) => sum + until - from, 0);
        if (there === 0) continue;
        // Only its own part: removing more would delete the focus of other applications.
        const own = uncovered(missing, part);
        change(day, interval, (spans) => {
          for (const span of own) take(spans, span);
        });
        seconds += there;
      }
      if (seconds > 0) note(interval, -seconds);
      return seconds;
    },
    has: (interval) => parts(interval).every(([day, part]) => uncovered(listSpans(day, interval), part).length === 0),
    isFree: (interval) =>
      parts(interval).every(([day, part]) => {
        const [first, ...more] = uncovered(inTheWay(day, interval), part);
        return more.length === 0 && first?.from === part.from && first.until === part.until;
      }),
    changed: () =>
      new Map([...open].filter(([, { isChanged }]) => isChanged).map(([day, opened]) => [day, listTracks(opened)])),
    touched: () => [...touched.values()],
    day: (day) => {
      const opened = open.get(day);
      return opened ? listTracks(opened) : (stored.get(day) ?? []);
    },
  };
}
