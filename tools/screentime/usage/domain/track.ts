import { STATUSES, type Status } from '../../contract/limits.ts';

/** A half-open range in seconds since the epoch. */
export interface SecondRange {
  readonly from: number;
  readonly until: number;
}

/** Ranges of one application and status on one device, sorted, without overlaps or touching neighbours. */
export interface Track {
  readonly application: number;
  readonly status: Status;
  readonly spans: readonly SecondRange[];
}

/** Id of all applications together in the rollups. No application has it. */
export const ALL_APPLICATIONS = 0;

/** Number of stored codes, which are indices in `STATUSES`. */
export const STATUS_CODE_COUNT = STATUSES.length;

/** Converts a status to its stored code. */
export function toStatusCode(status: Status): number {
  return STATUSES.indexOf(status);
}
export function parseStatus(code: number): Status {
  const status = STATUSES[code];
  if (!status) throw new Error(`there is no status ${code}`);
  return status;
}

/**
 * Returns the index of the first range that ends at `moment` or later. Earlier ones don't touch a range that starts
 * there.
 */
export function findFirstAt(spans: readonly SecondRange[], moment: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.until ?? 0) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds a range and merges what overlaps or touches it. Changes `spans`. */
export function addRange(spans: SecondRange[], { from, until }: SecondRange): void {
  if (until <= from) return;
  const at = findFirstAt(spans, from);
  let [mergedFrom, mergedUntil, end] = [from, until, at];
  for (let next = spans[end]; next && next.from <= until; next = spans[end]) {
    mergedFrom = Math.min(mergedFrom, next.from);
    mergedUntil = Math.max(mergedUntil, next.until);
    end += 1;
  }
  spans.splice(at, end - at, { from: mergedFrom, until: mergedUntil });
}

/** Removes a range. Changes `spans`. */
export function removeRange(spans: SecondRange[], { from, until }: SecondRange): void {
  if (until <= from) return;
  const at = findFirstAt(spans, from + 1);
  const remaining: SecondRange[] = [];
  let end = at;
  for (let next = spans[end]; next && next.from < until; next = spans[end]) {
    if (next.from < from) remaining.push({ from: next.from, until: from });
    if (next.until > until) remaining.push({ from: until, until: next.until });
    end += 1;
  }
  spans.splice(at, end - at, ...remaining);
}

/** Returns the parts of a range that `spans` does not cover. */
export function listUncovered(spans: readonly SecondRange[], { from, until }: SecondRange): readonly SecondRange[] {
  const remaining: SecondRange[] = [];
  let reached = from;
  for (let index = findFirstAt(spans, from + 1); reached < until; index += 1) {
    const next = spans[index];
    if (!next || next.from >= until) break;
    if (next.from > reached) remaining.push({ from: reached, until: next.from });
    reached = Math.max(reached, next.until);
  }
  if (reached < until) remaining.push({ from: reached, until });
  return remaining;
}

/** Returns the parts of the ranges that are within the bounds. */
export function clipRanges(spans: readonly SecondRange[], { from, until }: SecondRange): readonly SecondRange[] {
  const clipped: SecondRange[] = [];
  for (let index = findFirstAt(spans, from + 1); index < spans.length; index += 1) {
    const span = spans[index];
    if (!span || span.from >= until) break;
    clipped.push(
      span.from >= from && span.until <= until
        ? span
        : { from: Math.max(span.from, from), until: Math.min(span.until, until) },
    );
  }
  return clipped;
}

/** Merges ranges in any order, so that none overlap or touch. */
export function mergeRanges(spans: readonly SecondRange[]): readonly SecondRange[] {
  const all: { from: number; until: number }[] = [];
  for (const { from, until } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until);
    else if (from < until) all.push({ from, until });
  }
  return all;
}

export function sumLengths(spans: readonly SecondRange[]): number {
  return spans.reduce((length, { from, until }) => length + until - from, 0);
}
