import { MINUTE_MS } from '#platform/contract/duration.ts';
import { isConflict, type StoryInterval } from '../../usage/domain/interval.ts';

/** Compares the visible properties of intervals. */
const isSame = (a: StoryInterval, b: StoryInterval): boolean =>
  a.device === b.device && a.application === b.application && a.status === b.status && a.title === b.title;

/** Sorts by time and joins intervals that storage split at midnight UTC. */
export function joinIntervals(intervals: readonly StoryInterval[]): readonly StoryInterval[] {
  const merged: StoryInterval[] = [];
  /** Index in `merged` of the last interval of each application, status, device and title. */
  const lastIndexByKey = new Map<string, number>();
  for (const interval of intervals.toSorted((a, b) => a.from - b.from)) {
    const key = JSON.stringify([interval.device, interval.application, interval.status, interval.title]);
    const at = lastIndexByKey.get(key);
    const previous = at === undefined ? undefined : merged[at];
    if (at !== undefined && previous && previous.until >= interval.from)
      merged[at] = { ...previous, until: Math.max(previous.until, interval.until) };
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
  return intervals.find((each) => each !== replaced && each.device === added.device && isConflict(each, added));
}

/** Lists the intervals that contain a moment. */
export function listIntervalsAt(intervals: readonly StoryInterval[], moment: number): readonly StoryInterval[] {
  return intervals.filter(({ from, until }) => from <= moment && until > moment);
}

/** Shorter gaps are merged and shorter intervals are hidden beside the plan of a day. */
const MAX_MERGED_GAP_MS = 2 * MINUTE_MS;
const MIN_STORY_MS = MINUTE_MS;

/** Condenses focused intervals for display beside a plan, without short gaps and short intervals. */
export function condenseStory(intervals: readonly StoryInterval[]): readonly StoryInterval[] {
  const result: StoryInterval[] = [];
  for (const interval of intervals.toSorted((a, b) => a.from - b.from)) {
    if (interval.status !== 'on') continue;
    const { title: _, ...untitled } = interval;
    const at = result.findLastIndex((each) => isSame(each, untitled));
    const previous = result[at];
    if (previous && interval.from - previous.until <= MAX_MERGED_GAP_MS)
      result[at] = { ...previous, until: Math.max(previous.until, interval.until) };
    else result.push(untitled);
  }
  return result.filter(({ from, until }) => until - from >= MIN_STORY_MS);
}
