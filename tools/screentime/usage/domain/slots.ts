import { SLOT_SECONDS } from './days.ts';
import type { SecondRange } from './track.ts';

/** Seconds in each slot of 15 minutes that the spans touch, in order. The spans are in order and do not overlap. */
export const slotSeconds = (spans: readonly SecondRange[]): readonly (readonly [slot: number, seconds: number])[] => {
  const found: [number, number][] = [];
  for (const { from, until } of spans) {
    let reached = from;
    while (reached < until) {
      const slot = Math.floor(reached / SLOT_SECONDS);
      const end = Math.min(until, (slot + 1) * SLOT_SECONDS);
      const last = found.at(-1);
      if (last && last[0] === slot) last[1] += end - reached;
      else found.push([slot, end - reached]);
      reached = end;
    }
  }
  return found;
};
