import { MINUTE_MS } from '#platform/contract/duration.ts';
import { isConflict, type StoryInterval } from '../../usage/domain/interval.ts';

/** Compares the visible properties of intervals. */
const isSameAs =
  (one: StoryInterval) =>
  ({ device, application, status, title }: StoryInterval): boolean =>
    device === one.device && application === one.application && status === one.status && title === one.title;

/** Sorts by time and joins intervals that storage split at midnight UTC. */
export function joinIntervals(intervals: readonly StoryInterval[]): readonly StoryInterval[] {
  const merged: StoryInterval[] = [];
  /** Index in `merged` of the last interval of each application, status, device and title. */
  const last = new Map<string, number>();
  for (const interval of intervals.toSorted((one, other) => one.from - other.from)) {
    const key = JSON.stringify([interval.device, interval.application, interval.status, interval.title]);
    const at = last.get(key);
    const before = at === undefined ? undefined : merged[at];
    if (at !== undefined && before && before.until >= interval.from)
      merged[at] = { ...before, until: Math.max(before.until, interval.until) };
    else last.set(key, merged.push(interval) - 1);
  }
  return merged;
}

/** Finds a recorded interval that conflicts with a new one, which replaces `instead`. */
export function inTheWay(
  intervals: readonly StoryInterval[],
  added: StoryInterval,
  instead: StoryInterval | undefined,
): StoryInterval | undefined {
  return intervals.find((each) => each !== instead && each.device === added.device && isConflict(each, added));
}

/** Finds the intervals that contain a moment. */
export function listIntervalsAt(intervals: readonly StoryInterval[], moment: number): readonly StoryInterval[] {
  return intervals.filter(({ from, until }) => from <= moment && until > moment);
}

/** Shorter gaps are merged and shorter intervals are hidden beside the plan of a day. */
const MAX_MERGED_GAP_MS = 2 * MINUTE_MS;
const MIN_STORY_MS = MINUTE_MS;

/** Condenses focused intervals for display beside a plan, without short gaps and short intervals. */
export function condenseStory(intervals: readonly StoryInterval[]): readonly StoryInterval[] {
  const result: StoryInterval[] = [];
  for (const interval of intervals.toSorted((one, other) => one.from - other.from)) {
    if (interval.status !== 'on') continue;
    const { title: _, ...plain } = interval;
    const at = result.findLastIndex((each) => isSameAs(plain)(each));
    const before = result[at];
    if (before && interval.from - before.until <= MAX_MERGED_GAP_MS)
      result[at] = { ...before, until: Math.max(before.until, interval.until) };
    else result.push(plain);
  }
  return result.filter(({ from, until }) => until - from >= MIN_STORY_MS);
}
