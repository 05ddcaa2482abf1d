import { HOUR_SECONDS, MINUTE_SECONDS } from '#platform/contract/duration.ts';
import type { Day } from './days.ts';
import type { Status, StatusInterval } from './status.ts';

/** A period that looks like sleep, in seconds since the epoch. */
export interface Sleep {
  readonly from: number;
  readonly until: number;
}

/** Shorter gaps are naps, meals and evenings out; longer gaps are days without the chat. */
const MIN_SLEEP_SECONDS = 4 * HOUR_SECONDS;
const MAX_SLEEP_SECONDS = 16 * HOUR_SECONDS;
/** A look at the phone at night, or a restart of the server, does not end a sleep. */
const MAX_GLANCE_SECONDS = 15 * MINUTE_SECONDS;
/** Rest that must precede and follow a glance at night. */
const MIN_REST_SECONDS = 30 * MINUTE_SECONDS;

type SleepKind = 'rest' | 'awake' | 'unknown';
interface SleepPart extends Sleep {
  readonly kind: SleepKind;
}

/** A computer that is left on overnight is idle, not offline. */
const KIND_BY_STATUS: Readonly<Record<Status, SleepKind>> = {
  online: 'awake',
  dnd: 'awake',
  idle: 'rest',
  offline: 'rest',
  unknown: 'unknown',
};

const getLength = ({ from, until }: Sleep): number => until - from;

function mergeParts(parts: readonly SleepPart[]): readonly SleepPart[] {
  const all: SleepPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.kind === part.kind) all[all.length - 1] = { ...last, until: part.until };
    else all.push(part);
  }
  return all;
}

/** Fills short gaps in the recording with the state before them. */
const fillShortGaps = (parts: readonly SleepPart[]): readonly SleepPart[] =>
  mergeParts(
    parts.map((part, index) => {
      const before = parts[index - 1];
      return part.kind === 'unknown' && before && getLength(part) <= MAX_GLANCE_SECONDS
        ? { ...part, kind: before.kind }
        : part;
    }),
  );

const isRested = (part: SleepPart | undefined): boolean => part?.kind === 'rest' && getLength(part) >= MIN_REST_SECONDS;

const ignoreGlances = (parts: readonly SleepPart[]): readonly SleepPart[] =>
  mergeParts(
    parts.map((part, index) => {
      const isGlance = part.kind === 'awake' && getLength(part) <= MAX_GLANCE_SECONDS;
      return isGlance && isRested(parts[index - 1]) && isRested(parts[index + 1]) ? { ...part, kind: 'rest' } : part;
    }),
  );

/** Returns all periods that look like sleep: no activity, plausible length, and both ends observed. */
export function findSleeps(intervals: readonly StatusInterval[]): readonly Sleep[] {
  const parts = ignoreGlances(
    fillShortGaps(
      mergeParts(intervals.map(({ from, until, status }) => ({ from, until, kind: KIND_BY_STATUS[status] }))),
    ),
  );
  return parts
    .filter(
      (part, index) =>
        part.kind === 'rest' &&
        parts[index - 1]?.kind === 'awake' &&
        parts[index + 1]?.kind === 'awake' &&
        getLength(part) >= MIN_SLEEP_SECONDS &&
        getLength(part) <= MAX_SLEEP_SECONDS,
    )
    .map(({ from, until }) => ({ from, until }));
}

/** Returns the longest sleep that ended on each day, by date. The hour is ignored, because some work at night. */
export function findSleepByDate(days: readonly Day[], sleeps: readonly Sleep[]): ReadonlyMap<string, Sleep> {
  const sleepByDate = new Map<string, Sleep>();
  let index = 0;
  for (const { date, until } of days)
    for (let sleep = sleeps[index]; sleep && sleep.until <= until; sleep = sleeps[index]) {
      const longest = sleepByDate.get(date);
      if (!longest || getLength(sleep) > getLength(longest)) sleepByDate.set(date, sleep);
      index += 1;
    }
  return sleepByDate;
}
