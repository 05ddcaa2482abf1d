import type { SecondRange } from '../domain/track.ts';

/** A committed change of usage. */
export interface UsageChange extends SecondRange {
  readonly account: number;
  readonly device: number;
}

/** Notifies other parts of the server after a commit of the range in which usage may have changed. */
export interface UsageChanges {
  readonly on: (then: (change: UsageChange) => void) => void;
  readonly publish: (change: UsageChange) => void;
}

export function createUsageChanges(): UsageChanges {
  const listeners: ((change: UsageChange) => void)[] = [];
  return {
    on: (then) => void listeners.push(then),
    publish: (change) => {
      for (const then of listeners) then(change);
    },
  };
}
