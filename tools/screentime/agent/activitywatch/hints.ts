import { type Hint, hintIn, type InUse, instead, type WatcherState } from '../../usage/domain/activityWatch.ts';
import type { Event } from './buckets.ts';

/** A word holds as long as the watcher says, and a little longer, as it comes a little late. */
const GRACE_MS = 10_000;
const MAX_PULSE_MS = 10 * 60_000;
/** Of so many watchers the newest word is kept. */
const WATCHERS_LIMIT = 100;

/** What watchers say is to be seen now. */
export interface Hints {
  /** An event has come; it holds `pulseMs` longer than itself, unless another one comes. */
  readonly take: (bucket: string, event: Event, pulseMs: number) => void;
  /** What counts in place of the application in use. */
  readonly instead: (inUse: InUse) => InUse;
  /** Another page or file is looked at than before. */
  readonly onChange: (then: () => void) => void;
  readonly clear: () => void;
}

interface WatcherHint extends WatcherState {
  readonly until: number;
}

const isSame = (one: Hint | undefined, other: Hint | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** @param now milliseconds since the epoch */
export const createHints = (now: () => number): Hints => {
  /** The newest first. */
  let words: readonly WatcherHint[] = [];
  const listeners: (() => void)[] = [];
  const changed = (): void => {
    for (const then of listeners) then();
  };
  const alive = (): readonly WatcherHint[] => {
    const at = now();
    return words.filter(({ until }) => until > at);
  };

  return {
    take: (bucket, { timestamp, duration, data }, pulseMs) => {
      const at = now();
      const until = timestamp + duration + Math.min(pulseMs, MAX_PULSE_MS) + GRACE_MS;
      // What is told of yesterday, or of tomorrow, says nothing of now.
      if (until <= at || timestamp > at + GRACE_MS) return;
      const hint = hintIn(data);
      const before = alive().find((word) => word.bucket === bucket)?.hint;
      const others = alive().filter((word) => word.bucket !== bucket);
      const holds = Math.min(until, at + MAX_PULSE_MS + GRACE_MS);
      words = hint ? [{ bucket, hint, until: holds }, ...others].slice(0, WATCHERS_LIMIT) : others;
      if (!isSame(before, hint)) changed();
    },
    instead: (inUse) => instead(inUse, alive()),
    onChange: (then) => void listeners.push(then),
    clear: () => {
      words = [];
      changed();
    },
  };
};
