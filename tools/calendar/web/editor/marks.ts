import type { WireEvent } from './eventData.ts';

type HistoryBin = WireEvent['edithistory'][number];

/** Where a bin of the history stands on the timeline. */
export interface Mark {
  /** 0 to 1. */
  readonly at: number;
  /** Types other than 'accessed', each once, in order. */
  readonly types: readonly string[];
  readonly isAccessed: boolean;
  readonly edits: HistoryBin['edits'];
}

const ACCESSED = 'accessed';

/** Position: the bin's number over the last one's (specification 1, section 9). Bins without an edit only hold the end. */
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

/** The mark nearest to a place, 0 to 1. */
export function nearest(marks: readonly Mark[], place: number): number {
  return marks.reduce(
    (best, { at }, index) => (Math.abs(at - place) < Math.abs((marks[best]?.at ?? Infinity) - place) ? index : best),
    0,
  );
}

/** All types, for the legend, in the order in which they come; 'accessed' last. */
export function typesOf(bins: readonly HistoryBin[]): readonly string[] {
  const types = [...new Set(bins.flatMap(({ edits }) => edits.map(({ type }) => type)))];
  return types.toSorted((one, other) => Number(one === ACCESSED) - Number(other === ACCESSED));
}
