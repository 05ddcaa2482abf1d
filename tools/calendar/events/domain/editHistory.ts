/** An entry of the history of an event. `at` is in milliseconds since the epoch. */
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

/** Width of a mark on the timeline, in pixels. */
const BIN_PX = 24;
const NARROWEST_PX = 120;
const WIDEST_PX = 4000;
const USUAL_PX = 720;

/**
 * Returns how many bins fit into a timeline. At least two, because a position is the bin's number divided by the last
 * one's.
 */
export function countBins(width: string | undefined): number {
  const requestedPx = Number(width === undefined || width.trim() === '' ? Number.NaN : width);
  const px = Number.isFinite(requestedPx) ? Math.min(WIDEST_PX, Math.max(NARROWEST_PX, requestedPx)) : USUAL_PX;
  return Math.floor(px / BIN_PX);
}

/**
 * Divides the time since creation into equal bins and assigns each edit to one. Empty bins are omitted except for the
 * last, because pages place a bin by its number divided by the last one's.
 */
export function groupIntoBins(
  edits: readonly HistoryEntry[],
  { created, now, bins }: { readonly created: number; readonly now: number; readonly bins: number },
): readonly HistoryBin[] {
  const span = Math.max(1, now - created);
  const last = bins - 1;
  const getBinNumber = ({ at }: HistoryEntry): number =>
    Math.min(last, Math.max(0, Math.floor(((at - created) / span) * bins)));
  const filled = new Map<number, HistoryEntry[]>();
  for (const edit of edits.toSorted((one, other) => one.at - other.at)) {
    const number = getBinNumber(edit);
    const bin = filled.get(number) ?? [];
    bin.push(edit);
    filled.set(number, bin);
  }
  if (!filled.has(last)) filled.set(last, []);
  return [...filled]
    .toSorted(([one], [other]) => one - other)
    .map(([binnumber, found]) => ({ binnumber, edits: found }));
}
