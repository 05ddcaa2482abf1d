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
  readonly ranges: readonly SecondRange[];
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
export function findFirstAt(ranges: readonly SecondRange[], moment: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.until ?? 0) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds a range and merges what overlaps or touches it. Changes `ranges`. */
export function addRange(ranges: SecondRange[], { from, until }: SecondRange): void {
  if (until <= from) return;
  const start = findFirstAt(ranges, from);
  let [mergedFrom, mergedUntil, end] = [from, until, start];
  for (let next = ranges[end]; next && next.from <= until; next = ranges[end]) {
    mergedFrom = Math.min(mergedFrom, next.from);
    mergedUntil = Math.max(mergedUntil, next.until);
    end += 1;
  }
  ranges.splice(start, end - start, { from: mergedFrom, until: mergedUntil });
}

/** Removes a range. Changes `ranges`. */
export function removeRange(ranges: SecondRange[], { from, until }: SecondRange): void {
  if (until <= from) return;
  const start = findFirstAt(ranges, from + 1);
  const remaining: SecondRange[] = [];
  let end = start;
  for (let next = ranges[end]; next && next.from < until; next = ranges[end]) {
    if (next.from < from) remaining.push({ from: next.from, until: from });
    if (next.until > until) remaining.push({ from: until, until: next.until });
    end += 1;
  }
  ranges.splice(start, end - start, ...remaining);
}

/** Returns the parts of a range that `ranges` does not cover. */
export function listUncovered(ranges: readonly SecondRange[], { from, until }: SecondRange): readonly SecondRange[] {
  const remaining: SecondRange[] = [];
  let reached = from;
  for (let index = findFirstAt(ranges, from + 1); reached < until; index += 1) {
    const next = ranges[index];
    if (!next || next.from >= until) break;
    if (next.from > reached) remaining.push({ from: reached, until: next.from });
    reached = Math.max(reached, next.until);
  }
  if (reached < until) remaining.push({ from: reached, until });
  return remaining;
}

/** Returns the parts of the ranges that are within the bounds. */
export function clipRanges(ranges: readonly SecondRange[], { from, until }: SecondRange): readonly SecondRange[] {
  const clipped: SecondRange[] = [];
  for (let index = findFirstAt(ranges, from + 1); index < ranges.length; index += 1) {
    const range = ranges[index];
    if (!range || range.from >= until) break;
    clipped.push(
      range.from >= from && range.until <= until
        ? range
        : { from: Math.max(range.from, from), until: Math.min(range.until, until) },
    );
  }
  return clipped;
}

/** Returns ranges in any order merged, so that none overlap or touch. */
export function mergeRanges(ranges: readonly SecondRange[]): readonly SecondRange[] {
  const merged: { from: number; until: number }[] = [];
  for (const { from, until } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until);
    else if (from < until) merged.push({ from, until });
  }
  return merged;
}

export function sumLengths(ranges: readonly SecondRange[]): number {
  return ranges.reduce((length, { from, until }) => length + until - from, 0);
}
