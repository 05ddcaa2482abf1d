import type { Presence, Status, View } from './status.ts';

/** From this moment on a person stood so. Moments are whole seconds since the epoch. */
export interface Change {
  readonly at: number;
  readonly presence: Presence;
}

/** One status from a moment until just before another. */
export interface StatusInterval {
  readonly from: number;
  readonly until: number;
  readonly status: Status;
}

/** Puts what touches and has the same status together; what has no length is left out. Stretches are in order. */
export const merged = (stretches: readonly StatusInterval[]): readonly StatusInterval[] => {
  const all: StatusInterval[] = [];
  for (const stretch of stretches) {
    const last = all.at(-1);
    if (stretch.until <= stretch.from) continue;
    if (last?.status === stretch.status && last.until === stretch.from)
      all[all.length - 1] = { ...last, until: stretch.until };
    else all.push(stretch);
  }
  return all;
};

/** What a history tells of one view until a moment, without a hole. `changes` are in order. */
export const stretchesOf = (changes: readonly Change[], view: View, until: number): readonly StatusInterval[] =>
  merged(
    changes.map(({ at, presence }, place) => ({
      from: at,
      until: Math.min(until, changes[place + 1]?.at ?? until),
      status: presence[view],
    })),
  );
