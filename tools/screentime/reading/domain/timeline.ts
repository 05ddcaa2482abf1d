import { NONE, statuses, type Status } from '../../contract/limits.ts';
import type { SecondRange } from '../../usage/domain/track.ts';
import { rounded } from './percent.ts';

/** A time in which an application was in a status. */
export interface TimelineInterval extends SecondRange {
  readonly status: Status;
}

/** From `timestamp`, percent through the day's real length, on. */
export interface Segment {
  readonly status: Status | typeof NONE;
  readonly timestamp: number;
}

/** Where several hold at once: what the person looks at, then what listens, then what sounds, then what is merely open. */
const BY_WEIGHT: readonly Status[] = ['on', 'r', 's', 'off'];
const WEIGHT: Readonly<Record<Status, number>> = { on: 0, r: 1, s: 2, off: 3 };
/** Of a second a day has 0.0012 percent. */
const DECIMALS = 4;
/** An edge is its moment within the day, times this, and what happens: one number, so that they sort fast. */
const KINDS = 2 * statuses.length;

/** Beginnings and ends within the bounds, in order of time. */
const edgesOf = (stretches: readonly TimelineInterval[], { from, until }: SecondRange): Float64Array => {
  const edges = new Float64Array(2 * stretches.length);
  let count = 0;
  for (const stretch of stretches) {
    const [begins, ends] = [Math.max(stretch.from, from), Math.min(stretch.until, until)];
    if (begins >= ends) continue;
    const kind = 2 * WEIGHT[stretch.status];
    edges[count] = (begins - from) * KINDS + kind + 1;
    edges[count + 1] = (ends - from) * KINDS + kind;
    count += 2;
  }
  return edges.slice(0, count).toSorted();
};

/**
 * A day of one application (or of all of them together) as percents of it. It begins at 0, neighbours differ, and what follows the last
 * holds until the day's end. Stretches may overlap and come in any order.
 */
export const segmentsOf = (stretches: readonly TimelineInterval[], day: SecondRange): readonly Segment[] => {
  const segments: { status: Segment['status']; timestamp: number }[] = [{ status: NONE, timestamp: 0 }];
  const held = [0, 0, 0, 0];
  const length = day.until - day.from;
  const say = (status: Segment['status'], moment: number): void => {
    const last = segments.at(-1);
    if (!last || last.status === status) return;
    const timestamp = rounded((moment / length) * 100, DECIMALS);
    if (last.timestamp < timestamp) {
      segments.push({ status, timestamp });
      return;
    }
    // Nothing of the one before is left to be seen.
    last.status = status;
    if (segments.at(-2)?.status === status) segments.pop();
  };
  const edges = edgesOf(stretches, day);
  for (let at = 0; at < edges.length; at += 1) {
    const edge = edges[at] ?? 0;
    const moment = Math.floor(edge / KINDS);
    const kind = edge - moment * KINDS;
    held[kind >> 1] = (held[kind >> 1] ?? 0) + ((kind & 1) === 1 ? 1 : -1);
    // All that happens at a moment happens at once.
    const next = edges[at + 1];
    if (next !== undefined && Math.floor(next / KINDS) === moment) continue;
    say(BY_WEIGHT[held.findIndex((count) => count > 0)] ?? NONE, moment);
  }
  return segments.filter(({ timestamp }) => timestamp < 100);
};
