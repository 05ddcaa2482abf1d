import { statuses, type Status } from '../../contract/limits.ts';

/** From one second since the epoch to another, which is not part of it. */
export interface SecondRange {
  readonly from: number;
  readonly until: number;
}

/** What one application did on one device: spans in order that neither overlap nor touch. */
export interface Track {
  readonly application: number;
  readonly status: Status;
  readonly spans: readonly SecondRange[];
}

/** All applications together, in the rollups. No application has this id. */
export const ALL_APPLICATIONS = 0;

/** A status as tables have it. */
export function codeOf(status: Status): number {
  return statuses.indexOf(status);
}
export function statusOf(code: number): Status {
  const status = statuses[code];
  if (!status) throw new Error(`there is no status ${code}`);
  return status;
}

/** The place of the first span that ends at `moment` or later: those before it neither overlap nor touch what begins there. */
export function firstAt(spans: readonly SecondRange[], moment: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.until ?? 0) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Puts a span in; what it overlaps or touches becomes one with it. Changes `spans`. */
export function put(spans: SecondRange[], { from, until }: SecondRange): void {
  if (until <= from) return;
  const at = firstAt(spans, from);
  let [begins, ends, end] = [from, until, at];
  for (let next = spans[end]; next && next.from <= until; next = spans[end]) {
    begins = Math.min(begins, next.from);
    ends = Math.max(ends, next.until);
    end += 1;
  }
  spans.splice(at, end - at, { from: begins, until: ends });
}

/** Takes a span's time away, whatever of it is there. Changes `spans`. */
export function take(spans: SecondRange[], { from, until }: SecondRange): void {
  if (until <= from) return;
  const at = firstAt(spans, from + 1);
  const left: SecondRange[] = [];
  let end = at;
  for (let next = spans[end]; next && next.from < until; next = spans[end]) {
    if (next.from < from) left.push({ from: next.from, until: from });
    if (next.until > until) left.push({ from: until, until: next.until });
    end += 1;
  }
  spans.splice(at, end - at, ...left);
}

/** Those parts of a span that none of `spans` covers. */
export function uncovered(spans: readonly SecondRange[], { from, until }: SecondRange): readonly SecondRange[] {
  const left: SecondRange[] = [];
  let reached = from;
  for (let at = firstAt(spans, from + 1); reached < until; at += 1) {
    const next = spans[at];
    if (!next || next.from >= until) break;
    if (next.from > reached) left.push({ from: reached, until: next.from });
    reached = Math.max(reached, next.until);
  }
  if (reached < until) left.push({ from: reached, until });
  return left;
}

/** Those parts of the spans that lie within the bounds. */
export function within(spans: readonly SecondRange[], { from, until }: SecondRange): readonly SecondRange[] {
  const found: SecondRange[] = [];
  for (let at = firstAt(spans, from + 1); at < spans.length; at += 1) {
    const span = spans[at];
    if (!span || span.from >= until) break;
    found.push(
      span.from >= from && span.until <= until
        ? span
        : { from: Math.max(span.from, from), until: Math.min(span.until, until) },
    );
  }
  return found;
}

/** One list of all: what overlaps or touches is one. In any order. */
export function united(spans: readonly SecondRange[]): readonly SecondRange[] {
  const all: { from: number; until: number }[] = [];
  for (const { from, until } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until);
    else if (from < until) all.push({ from, until });
  }
  return all;
}

export function lengthOf(spans: readonly SecondRange[]): number {
  return spans.reduce((length, { from, until }) => length + until - from, 0);
}
