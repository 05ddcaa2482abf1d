import type { WireEvent } from './eventForm.ts';

type HistoryBin = WireEvent['edithistory'][number];

/** A bin of the history on the timeline. */
export interface Mark {
  /** 0 to 1. */
  readonly at: number;
  /** Types other than 'accessed', in order, without duplicates. */
  readonly types: readonly string[];
  readonly isAccessed: boolean;
  readonly edits: HistoryBin['edits'];
}

const ACCESSED = 'accessed';

/**
 * Positions are the bin's number divided by the last one's (docs/specification/calendar.md section 3.4). Empty bins
 * only mark the end.
 */
export function marksOf(bins: readonly HistoryBin[]): readonly Mark[] {
  const last = bins.reduce((most, { binnumber }) => Math.max(most, binnumber), 0);
  return bins
    .filter(({ edits }) => edits.length > 0)
    .map(({ binnumber, edits }) => ({
      at: last === 0 ? 0 : binnumber / last,
      types: [...new Set(edits.map(({ type }) => type))].filter((type) => type !== ACCESSED),
      isAccessed: edits.some(({ type }) => type === ACCESSED),
      edits,
    }));
}

/** Index of the mark nearest to a position from 0 to 1. */
export function nearest(marks: readonly Mark[], place: number): number {
  return marks.reduce(
    (best, { at }, index) => (Math.abs(at - place) < Math.abs((marks[best]?.at ?? Infinity) - place) ? index : best),
    0,
  );
}

/** All types for the legend in order of appearance, 'accessed' last. */
export function typesOf(bins: readonly HistoryBin[]): readonly string[] {
  const types = [...new Set(bins.flatMap(({ edits }) => edits.map(({ type }) => type)))];
  return types.toSorted((one, other) => Number(one === ACCESSED) - Number(other === ACCESSED));
}
