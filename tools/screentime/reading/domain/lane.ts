import { DAY_MINUTES } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';
import { NONE, STATUSES, type Status } from '../../contract/limits.ts';
import { roundTo } from '../../usage/domain/formats.ts';
import { getRank, getStatusByRank, type UsageInterval } from '../../usage/domain/interval.ts';
import type { SecondRange } from '../../usage/domain/track.ts';

type StatusRange = Omit<UsageInterval, 'application'>;

/** A change of status within a day, as in answers. */
export interface DaySegment {
  readonly status: Status | typeof NONE;
  /** Start in percent of the day's real length. */
  readonly timestamp: number;
}

/** A second is 0.0012 percent of a day. */
const DECIMALS = 4;
/** An edge is its moment within the day times this, plus its kind: one number, so that edges sort fast. */
const EDGE_KINDS = 2 * STATUSES.length;

/** Returns the sorted starts and ends within the bounds. */
function listEdges(intervals: readonly StatusRange[], { from, until }: SecondRange): Float64Array {
  const edges = new Float64Array(2 * intervals.length);
  let count = 0;
  for (const interval of intervals) {
    const [start, end] = [Math.max(interval.from, from), Math.min(interval.until, until)];
    if (start >= end) continue;
    const kind = 2 * getRank(interval.status);
    edges[count] = (start - from) * EDGE_KINDS + kind + 1;
    edges[count + 1] = (end - from) * EDGE_KINDS + kind;
    count += 2;
  }
  return edges.slice(0, count).toSorted();
}

/**
 * Converts the intervals of a day to segments, which are changes of status in percent. The result starts at 0,
 * neighbours differ, and the last segment lasts until the end. Intervals may overlap in any order.
 */
export function toSegments(intervals: readonly StatusRange[], day: SecondRange): readonly DaySegment[] {
  const segments: { status: DaySegment['status']; timestamp: number }[] = [{ status: NONE, timestamp: 0 }];
  const active = [0, 0, 0, 0];
  const length = day.until - day.from;
  function addChange(status: DaySegment['status'], moment: number): void {
    const last = segments.at(-1);
    if (!last || last.status === status) return;
    const timestamp = roundTo((moment / length) * 100, DECIMALS);
    if (last.timestamp < timestamp) {
      segments.push({ status, timestamp });
      return;
    }
    // The previous segment would have no length.
    last.status = status;
    if (segments.at(-2)?.status === status) segments.pop();
  }
  const edges = listEdges(intervals, day);
  for (let index = 0; index < edges.length; index += 1) {
    const edge = edges[index] ?? 0;
    const moment = Math.floor(edge / EDGE_KINDS);
    const kind = edge - moment * EDGE_KINDS;
    active[kind >> 1] = (active[kind >> 1] ?? 0) + ((kind & 1) === 1 ? 1 : -1);
    // Changes at the same moment are applied together.
    const next = edges[index + 1];
    if (next !== undefined && Math.floor(next / EDGE_KINDS) === moment) continue;
    addChange(getStatusByRank(active.findIndex((count) => count > 0)) ?? NONE, moment);
  }
  return segments.filter(({ timestamp }) => timestamp < 100);
}

/** A day of one application, ready to draw: intervals in order, in percent of the day. */
export interface Lane {
  readonly froms: Float64Array;
  readonly untils: Float64Array;
  /** Indices in `STATUSES`. */
  readonly kinds: Uint8Array;
}

/** Visible part of a day, in percent. */
export interface View {
  readonly from: number;
  readonly until: number;
}

export const WHOLE_DAY: View = { from: 0, until: 100 };

/** Ranks by index in `STATUSES`. */
const RANKS = STATUSES.map(getRank);
const hasPrecedence = (kind: number, other: number): boolean => (RANKS[kind] ?? 0) < (RANKS[other] ?? 0);

/**
 * Returns a day, ready to draw. Merges intervals of one status that are less than `gap` apart, and omits intervals of
 * lower precedence between them.
 */
export function createLane(segments: readonly DaySegment[], gap: number): Lane {
  const froms: number[] = [];
  const untils: number[] = [];
  const kinds: number[] = [];
  /** Finds the last interval of this kind that ended less than `gap` ago, with nothing that hides it after it. */
  function findJoinable(kind: number, from: number): number {
    for (let index = kinds.length - 1; index >= 0; index -= 1) {
      const previousKind = kinds[index] ?? 0;
      if (from - (untils[index] ?? 0) >= gap) return -1;
      if (previousKind === kind) return index;
      if (hasPrecedence(previousKind, kind)) return -1;
    }
    return -1;
  }
  for (const [index, { status, timestamp: from }] of segments.entries()) {
    if (status === NONE) continue;
    const until = segments[index + 1]?.timestamp ?? 100;
    if (until <= from) continue;
    const kind = STATUSES.indexOf(status);
    const joinableIndex = findJoinable(kind, from);
    const count = joinableIndex < 0 ? kinds.length + 1 : joinableIndex + 1;
    if (joinableIndex < 0) froms.push(from);
    froms.length = count;
    kinds.length = count;
    untils.length = count;
    kinds[count - 1] = kind;
    untils[count - 1] = until;
  }
  return { froms: Float64Array.from(froms), untils: Float64Array.from(untils), kinds: Uint8Array.from(kinds) };
}

/** Returns the index of the first interval that ends after `percent`, or the number of intervals. */
function findFirstEndingAfter({ untils }: Lane, percent: number): number {
  let low = 0;
  let high = untils.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((untils[middle] ?? 0) > percent) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the index of the interval at a moment; -1 if there is none. */
export function findIntervalAt(lane: Lane, percent: number): number {
  const index = findFirstEndingAfter(lane, percent);
  return (lane.froms[index] ?? Infinity) <= percent ? index : -1;
}

/**
 * Calls `draw` for each bar, with its edges in pixels. Bars are at least one pixel wide, and neighbours of one kind
 * with less than a pixel between them are merged.
 */
export function forEachBar(
  lane: Lane,
  { from, until }: View,
  width: number,
  draw: (kind: number, left: number, right: number) => void,
): void {
  const scale = width / (until - from);
  const { froms, untils, kinds } = lane;
  // Avoids temporary objects: a day has thousands of intervals, and each would be garbage.
  let kind = -1;
  let left = 0;
  let right = 0;
  for (let index = findFirstEndingAfter(lane, from); index < froms.length; index += 1) {
    const start = froms[index] ?? 0;
    if (start >= until) break;
    const x = Math.max(0, (start - from) * scale);
    const end = Math.min(width, Math.max(x + 1, ((untils[index] ?? 0) - from) * scale));
    if (kinds[index] === kind && x - right < 1) {
      right = Math.max(right, end);
      continue;
    }
    if (kind >= 0) draw(kind, left, right);
    kind = kinds[index] ?? 0;
    left = x;
    right = end;
  }
  if (kind >= 0) draw(kind, left, right);
}

const FOCUSED = STATUSES.indexOf('on');

/** Returns start and end of focus; undefined if there is none. */
export function getFocusedRange({ froms, untils, kinds }: Lane): View | undefined {
  const [first, last] = [kinds.indexOf(FOCUSED), kinds.lastIndexOf(FOCUSED)];
  if (first < 0) return undefined;
  return { from: froms[first] ?? 0, until: untils[last] ?? 0 };
}

/** Shortest view: half an hour of a 24-hour day. */
const MIN_VIEW_PERCENT = 100 / 48;
/** Min distance of axis labels. */
const MIN_LABEL_DISTANCE_PX = 46;
/** Distances of axis labels to choose from, in minutes. */
const AXIS_STEP_MINUTES = [5, 10, 15, 30, 60, 120, 180, 240, 360, 720] as const;

/** Returns a view of this length within the day, as near to `from` as possible. */
function clampView(from: number, length: number): View {
  const start = Math.min(Math.max(0, from), 100 - length);
  return { from: start, until: start + length };
}

/** Returns a view zoomed (in if `factor` is under 1) around `anchor`, a position from 0 to 1 that stays in place. */
export function zoomView({ from, until }: View, anchor: number, factor: number): View {
  const length = until - from;
  const newLength = Math.min(100, Math.max(MIN_VIEW_PERCENT, length * factor));
  return newLength === 100 ? WHOLE_DAY : clampView(from + anchor * (length - newLength), newLength);
}

/** Returns a view moved by a share of its length, within the day. */
export function panView({ from, until }: View, share: number): View {
  return clampView(from + share * (until - from), until - from);
}

/** Lists the minutes of the day that have an axis label. */
export function listAxisMinutes({ from, until }: View, width: number): readonly number[] {
  const minutes = ((until - from) / 100) * DAY_MINUTES;
  const step =
    AXIS_STEP_MINUTES.find((minutesPerLabel) => (minutesPerLabel / minutes) * width >= MIN_LABEL_DISTANCE_PX) ?? 720;
  const first = Math.ceil((from / 100) * (DAY_MINUTES / step) - 1e-9);
  const last = Math.floor((until / 100) * (DAY_MINUTES / step) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}

/** Formats `09`, or `09:30` if it is not a full hour. */
export function formatAxisLabel(minute: number): string {
  return minute % 60 === 0 ? padTwo(minute / 60) : `${padTwo(Math.floor(minute / 60))}:${padTwo(minute % 60)}`;
}
