import type { SecondRange } from '../domain/track.ts';

/** Usage that has changed, and is kept. */
export interface UsageChange extends SecondRange {
  readonly account: number;
  readonly device: number;
}

/** Tells the parts of the server, once it is kept, what has changed: between which seconds nothing need be as it was. */
export interface UsageChanges {
  readonly on: (then: (change: UsageChange) => void) => void;
  readonly tell: (change: UsageChange) => void;
}

export function createChanges(): UsageChanges {
  const told: ((change: UsageChange) => void)[] = [];
  return {
    on: (then) => void told.push(then),
    tell: (change) => {
      for (const then of told) then(change);
    },
  };
}
