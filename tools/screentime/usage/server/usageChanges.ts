import type { SecondRange } from '../domain/track.ts';

/** A committed change of usage. */
export interface UsageChange extends SecondRange {
  readonly account: number;
  readonly device: number;
}

/** Notifies other parts of the server after a commit of the range in which usage may have changed. */
export interface UsageChanges {
  readonly on: (listener: (change: UsageChange) => void) => void;
  readonly publish: (change: UsageChange) => void;
}

export function createUsageChanges(): UsageChanges {
  const listeners: ((change: UsageChange) => void)[] = [];
  return {
    on: (listener) => void listeners.push(listener),
    publish: (change) => {
      for (const listener of listeners) listener(change);
    },
  };
}
