/** What is seen of something that scrolls, in px. */
export interface ScrolledView {
  readonly top: number;
  readonly height: number;
  readonly width: number;
  /** Of one row. */
  readonly row: number;
}

interface LegendRows {
  readonly columns: number;
  /** Of the boxes that are made: the first, and the one behind the last. */
  readonly first: number;
  readonly last: number;
  /** Room in place of the rows that are not made, in px. */
  readonly before: number;
  readonly after: number;
}

const COLUMN_WIDTH = 190;
/** Rows that are made on either side of those in sight, so that Tab reaches the next one. */
const OVERSCAN_ROWS = 4;

/** Which of so many boxes in columns are made. */
export function getVisibleRows(count: number, { top, height, width, row }: ScrolledView): LegendRows {
  const columns = Math.max(1, Math.floor(width / COLUMN_WIDTH));
  const rows = Math.ceil(count / columns);
  const end = Math.min(rows, Math.max(0, Math.ceil((top + height) / row) + OVERSCAN_ROWS));
  const begin = Math.min(end, Math.max(0, Math.floor(top / row) - OVERSCAN_ROWS));
  return {
    columns,
    first: begin * columns,
    last: Math.min(count, end * columns),
    before: begin * row,
    after: (rows - end) * row,
  };
}
