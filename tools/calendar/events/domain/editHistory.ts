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
const MIN_WIDTH_PX = 120;
const MAX_WIDTH_PX = 4000;
const DEFAULT_WIDTH_PX = 720;

/** Returns how many bins fit into a timeline. At least two, because positions are divided by the last bin's number. */
export function countBins(width: string | undefined): number {
  const requestedPx = Number(width === undefined || width.trim() === '' ? Number.NaN : width);
  const px = Number.isFinite(requestedPx)
    ? Math.min(MAX_WIDTH_PX, Math.max(MIN_WIDTH_PX, requestedPx))
    : DEFAULT_WIDTH_PX;
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
  const lastBin = bins - 1;
  const getBinNumber = ({ at }: HistoryEntry): number =>
    Math.min(lastBin, Math.max(0, Math.floor(((at - created) / span) * bins)));
  const editsByBin = new Map<number, HistoryEntry[]>();
  for (const edit of edits.toSorted((one, other) => one.at - other.at)) {
    const number = getBinNumber(edit);
    const bin = editsByBin.get(number) ?? [];
    bin.push(edit);
    editsByBin.set(number, bin);
  }
  if (!editsByBin.has(lastBin)) editsByBin.set(lastBin, []);
  return [...editsByBin]
    .toSorted(([one], [other]) => one - other)
    .map(([binnumber, binEdits]) => ({ binnumber, edits: binEdits }));
}
