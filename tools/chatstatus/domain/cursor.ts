import type { StatusInterval } from './stretch.ts';

/** Arrow keys move a cursor so far, in seconds. */
const STEP = 600;

/** Where a cursor may go: seconds since the epoch, of which the last is known. */
interface Range {
  readonly from: number;
  readonly until: number;
  readonly stretches: readonly StatusInterval[];
}

/** The stretch of a moment. Stretches are in order and without a hole. */
export const stretchAt = (stretches: readonly StatusInterval[], at: number): StatusInterval | undefined => {
  let [low, high] = [0, stretches.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle]?.until ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  const found = stretches[low];
  return found && found.from <= at ? found : undefined;
};

const borderAfter = (stretches: readonly StatusInterval[], at: number): number | undefined =>
  stretches.find(({ from }) => from > at)?.from;
const borderBefore = (stretches: readonly StatusInterval[], at: number): number | undefined =>
  stretches.findLast(({ from }) => from < at)?.from;

/** Where a key moves the cursor of a day; undefined for a key that does not. With `toBorder`, to where the status changes. */
export const moved = (at: number, key: string, range: Range, toBorder: boolean): number | undefined => {
  const { from, until, stretches } = range;
  const last = until - 1;
  const targets: Readonly<Record<string, number | undefined>> = {
    ArrowRight: toBorder ? (borderAfter(stretches, at) ?? last) : at + STEP,
    ArrowLeft: toBorder ? (borderBefore(stretches, at) ?? from) : at - STEP,
    PageDown: borderAfter(stretches, at) ?? last,
    PageUp: borderBefore(stretches, at) ?? from,
    Home: from,
    End: last,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.min(last, Math.max(from, target));
};
