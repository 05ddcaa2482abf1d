/** One line of an event's history. `at` in milliseconds since the epoch. */
export interface HistoryEntry {
  /** 'created', 'edited', 'moved', 'accessed', 'deleted', 'restored', or the author's `by`. */
  readonly type: string;
  readonly at: number;
  readonly address: string;
}

export interface HistoryBin {
  readonly binnumber: number;
  readonly edits: readonly HistoryEntry[];
}

/** Pixels that a mark of the timeline takes. */
const BIN_PX = 24;
const NARROWEST_PX = 120;
const WIDEST_PX = 4000;
const USUAL_PX = 720;

/** How many bins a timeline of that width has: at least two, so that the place of each (its number by the last one's) is one. */
export function binsIn(width: string | undefined): number {
  const asked = Number(width === undefined || width.trim() === '' ? Number.NaN : width);
  const px = Number.isFinite(asked) ? Math.min(WIDEST_PX, Math.max(NARROWEST_PX, asked)) : USUAL_PX;
  return Math.floor(px / BIN_PX);
}

/**
 * The history from creation to now, cut into bins of the same length, each edit in one, in order. Empty bins are left out but for the last
 * one, which always stands: pages place a bin by its number over the last one's.
 */
export function binned(
  edits: readonly HistoryEntry[],
  { created, now, bins }: { readonly created: number; readonly now: number; readonly bins: number },
): readonly HistoryBin[] {
  const span = Math.max(1, now - created);
  const last = bins - 1;
  const numberOf = ({ at }: HistoryEntry): number =>
    Math.min(last, Math.max(0, Math.floor(((at - created) / span) * bins)));
  const filled = new Map<number, HistoryEntry[]>();
  for (const edit of edits.toSorted((one, other) => one.at - other.at)) {
    const number = numberOf(edit);
    const bin = filled.get(number) ?? [];
    bin.push(edit);
    filled.set(number, bin);
  }
  if (!filled.has(last)) filled.set(last, []);
  return [...filled]
    .toSorted(([one], [other]) => one - other)
    .map(([binnumber, found]) => ({ binnumber, edits: found }));
}
