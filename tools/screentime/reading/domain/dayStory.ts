import type { Status } from '../../contract/limits.ts';

/** An interval as shown to a person, in milliseconds since the epoch. */
export interface StoryInterval {
  readonly device: number;
  readonly application: string;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
  /** Title of the document or page. */
  readonly title?: string | undefined;
}

/** Compares the visible properties of intervals. */
const sameAs =
  (one: StoryInterval) =>
  ({ device, application, status, title }: StoryInterval): boolean =>
    device === one.device && application === one.application && status === one.status && title === one.title;

/** Sorts by time and joins intervals that storage split at midnight UTC. */
export function joined(stretches: readonly StoryInterval[]): readonly StoryInterval[] {
  const told: StoryInterval[] = [];
  /** Index in `told` of the last interval of each application, status, device and title. */
  const last = new Map<string, number>();
  for (const stretch of stretches.toSorted((one, other) => one.from - other.from)) {
    const key = JSON.stringify([stretch.device, stretch.application, stretch.status, stretch.title]);
    const at = last.get(key);
    const before = at === undefined ? undefined : told[at];
    if (at !== undefined && before && before.until >= stretch.from)
      told[at] = { ...before, until: Math.max(before.until, stretch.until) };
    else last.set(key, told.push(stretch) - 1);
  }
  return told;
}

/**
 * Finds intervals that conflict with a new one: a device has one focused application, and each application has each
 * status once at a time. The new one replaces `instead`.
 */
export function inTheWay(
  stretches: readonly StoryInterval[],
  wanted: StoryInterval,
  instead: StoryInterval | undefined,
): StoryInterval | undefined {
  return stretches.find(
    (each) =>
      each !== instead &&
      each.device === wanted.device &&
      each.status === wanted.status &&
      (wanted.status === 'on' || each.application === wanted.application) &&
      each.from < wanted.until &&
      each.until > wanted.from,
  );
}

/** Finds the intervals that contain a moment. */
export function during(stretches: readonly StoryInterval[], moment: number): readonly StoryInterval[] {
  return stretches.filter(({ from, until }) => from <= moment && until > moment);
}

/** Shorter gaps are merged and shorter intervals are hidden beside the plan of a day. */
const MAX_MERGED_GAP_MS = 120_000;
const MIN_STORY_MS = 60_000;

/** Condenses focused intervals for display beside a plan, without short gaps and short intervals. */
export function doneIn(stretches: readonly StoryInterval[]): readonly StoryInterval[] {
  const done: StoryInterval[] = [];
  for (const stretch of stretches.toSorted((one, other) => one.from - other.from)) {
    if (stretch.status !== 'on') continue;
    const { title: _, ...plain } = stretch;
    const at = done.findLastIndex((each) => sameAs(plain)(each));
    const before = done[at];
    if (before && stretch.from - before.until <= MAX_MERGED_GAP_MS)
      done[at] = { ...before, until: Math.max(before.until, stretch.until) };
    else done.push(plain);
  }
  return done.filter(({ from, until }) => until - from >= MIN_STORY_MS);
}
