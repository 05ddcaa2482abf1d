import { MINUTE_MS } from '#platform/contract/duration.ts';
import { isConflict, type StoryInterval } from '../../usage/domain/interval.ts';

/** Returns whether two intervals look the same, apart from their time. */
const isSame = (a: StoryInterval, b: StoryInterval): boolean =>
  a.device === b.device && a.application === b.application && a.status === b.status && a.title === b.title;

/** Returns the intervals by time. Joins those that storage split at midnight UTC. */
export function joinIntervals(intervals: readonly StoryInterval[]): readonly StoryInterval[] {
  const merged: StoryInterval[] = [];
  /** Index in `merged` of the last interval of each application, status, device and title. */
  const lastIndexByKey = new Map<string, number>();
  for (const interval of intervals.toSorted((a, b) => a.from - b.from)) {
    const key = JSON.stringify([interval.device, interval.application, interval.status, interval.title]);
    const index = lastIndexByKey.get(key);
    const previous = index === undefined ? undefined : merged[index];
    if (index !== undefined && previous && previous.until >= interval.from)
      merged[index] = { ...previous, until: Math.max(previous.until, interval.until) };
    else lastIndexByKey.set(key, merged.push(interval) - 1);
  }
  return merged;
}

/** Finds a recorded interval that conflicts with a new one, which replaces `replaced`. */
export function findConflict(
  intervals: readonly StoryInterval[],
  added: StoryInterval,
  replaced: StoryInterval | undefined,
): StoryInterval | undefined {
  return intervals.find(
    (interval) => interval !== replaced && interval.device === added.device && isConflict(interval, added),
  );
}

/** Lists the intervals that contain a moment. */
export function listIntervalsAt(intervals: readonly StoryInterval[], moment: number): readonly StoryInterval[] {
  return intervals.filter(({ from, until }) => from <= moment && until > moment);
}

/** Gaps up to this length are closed beside the plan of a day. */
const MAX_MERGED_GAP_MS = 2 * MINUTE_MS;
/** Shorter intervals are hidden beside the plan of a day. */
const MIN_STORY_MS = MINUTE_MS;

/** Returns the focused intervals for display beside a plan, without titles, short gaps and short intervals. */
export function condenseStory(intervals: readonly StoryInterval[]): readonly StoryInterval[] {
  const result: StoryInterval[] = [];
  for (const interval of intervals.toSorted((a, b) => a.from - b.from)) {
    if (interval.status !== 'on') continue;
    const { title: _, ...untitled } = interval;
    const index = result.findLastIndex((earlier) => isSame(earlier, untitled));
    const previous = result[index];
    if (previous && interval.from - previous.until <= MAX_MERGED_GAP_MS)
      result[index] = { ...previous, until: Math.max(previous.until, interval.until) };
    else result.push(untitled);
  }
  return result.filter(({ from, until }) => until - from >= MIN_STORY_MS);
}
