import type { Status } from '../../contract/limits.ts';

/** A stretch as a person sees it; milliseconds since the epoch. */
export interface StoryInterval {
  readonly device: number;
  readonly application: string;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
  /** What document or page. */
  readonly title?: string | undefined;
}

/** What of it can be told apart by a person. */
const sameAs =
  (one: StoryInterval) =>
  ({ device, application, status, title }: StoryInterval): boolean =>
    device === one.device && application === one.application && status === one.status && title === one.title;

/** In order of time; what was cut in two for storing (at midnight in Greenwich) is one again. */
export function joined(stretches: readonly StoryInterval[]): readonly StoryInterval[] {
  const told: StoryInterval[] = [];
  /** Where the last stretch of each application, status, device and title stands in `told`. */
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
 * What stands in the way of a stretch that is to be put in: a device has one application in focus at a time, and each application is open,
 * heard or recording once. `instead` is the one that it replaces.
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

/** Where a moment lies in a stretch of this status: what was in focus, heard, or open then. */
export function during(stretches: readonly StoryInterval[], moment: number): readonly StoryInterval[] {
  return stretches.filter(({ from, until }) => from <= moment && until > moment);
}

/** Shorter pauses, and shorter stretches, are not worth a line of their own beside a day's plan. */
const MAX_MERGED_GAP_MS = 120_000;
const MIN_STORY_MS = 60_000;

/** What was in focus, as it is shown beside what was planned: short pauses left out, and short stretches too. */
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
