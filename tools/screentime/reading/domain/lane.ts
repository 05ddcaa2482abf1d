import { NONE, statuses, type Status } from '../../contract/limits.ts';

/** As a day comes over the line: from `timestamp`, percent through the day's real length, on. */
export interface DaySegment {
  readonly status: Status | typeof NONE;
  readonly timestamp: number;
}

/** A day of one application as it is drawn: stretches in order, side by side, in percent of the day. */
export interface Lane {
  readonly froms: Float64Array;
  readonly untils: Float64Array;
  /** Places in `statuses`. */
  readonly kinds: Uint8Array;
}

/** What of the day is seen: percents of it. */
export interface View {
  readonly from: number;
  readonly until: number;
}

export const WHOLE_DAY: View = { from: 0, until: 100 };

/** What the person looks at hides what listens, that what sounds, and that what is merely open. */
const WEIGHTS: Readonly<Record<Status, number>> = { on: 3, r: 2, s: 1, off: 0 };
const weightOf = (kind: number): number => WEIGHTS[statuses[kind] ?? 'off'];

interface LaneInterval {
  readonly from: number;
  until: number;
  readonly kind: number;
}

/** The last stretch of the kind that ends less than `gap` ago, with nothing heavier between it and the end. */
const joined = (
  stretches: readonly LaneInterval[],
  kind: number,
  { from, gap }: { from: number; gap: number },
): number => {
  for (let at = stretches.length - 1; at >= 0; at -= 1) {
    const before = stretches[at];
    if (!before || from - before.until >= gap) return -1;
    if (before.kind === kind) return at;
    if (weightOf(before.kind) > weightOf(kind)) return -1;
  }
  return -1;
};

/** A day for drawing: stretches of one status that are less than `gap` apart are one, and what is lighter between them is left out. */
export const laneOf = (segments: readonly DaySegment[], gap: number): Lane => {
  const stretches: LaneInterval[] = [];
  for (const [at, { status, timestamp: from }] of segments.entries()) {
    if (status === NONE) continue;
    const until = segments[at + 1]?.timestamp ?? 100;
    if (until <= from) continue;
    const kind = statuses.indexOf(status);
    const same = joined(stretches, kind, { from, gap });
    const kept = stretches[same];
    if (kept) {
      kept.until = until;
      stretches.length = same + 1;
    } else stretches.push({ from, until, kind });
  }
  return {
    froms: Float64Array.from(stretches, ({ from }) => from),
    untils: Float64Array.from(stretches, ({ until }) => until),
    kinds: Uint8Array.from(stretches, ({ kind }) => kind),
  };
};

/** The first stretch that ends behind `percent`; the number of stretches where none does. */
const firstEndingAfter = ({ untils }: Lane, percent: number): number => {
  let low = 0;
  let high = untils.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((untils[middle] ?? 0) > percent) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** The stretch that holds at a moment of the day; -1 where none does. */
export const stretchAt = (lane: Lane, percent: number): number => {
  const at = firstEndingAfter(lane, percent);
  return (lane.froms[at] ?? Infinity) <= percent ? at : -1;
};

/**
 * What is drawn of a lane, in pixels from the left: nothing is thinner than a pixel, and neighbours of one kind between which less than a
 * pixel is left are one.
 */
export const eachBar = (
  lane: Lane,
  { from, until }: View,
  width: number,
  draw: (kind: number, left: number, right: number) => void,
): void => {
  const scale = width / (until - from);
  const { froms, untils, kinds } = lane;
  // Without lists of several values: a day has thousands of stretches, and each would leave garbage.
  let kind = -1;
  let left = 0;
  let right = 0;
  for (let at = firstEndingAfter(lane, from); at < froms.length; at += 1) {
    const begins = froms[at] ?? 0;
    if (begins >= until) break;
    const x = Math.max(0, (begins - from) * scale);
    const end = Math.min(width, Math.max(x + 1, ((untils[at] ?? 0) - from) * scale));
    if (kinds[at] === kind && x - right < 1) {
      right = Math.max(right, end);
      continue;
    }
    if (kind >= 0) draw(kind, left, right);
    kind = kinds[at] ?? 0;
    left = x;
    right = end;
  }
  if (kind >= 0) draw(kind, left, right);
};

const FOCUSED = statuses.indexOf('on');

/** Begin of the first and end of the last stretch in focus; undefined where there is none. */
export const focusedSpan = ({ froms, untils, kinds }: Lane): View | undefined => {
  const [first, last] = [kinds.indexOf(FOCUSED), kinds.lastIndexOf(FOCUSED)];
  if (first < 0) return undefined;
  return { from: froms[first] ?? 0, until: untils[last] ?? 0 };
};
