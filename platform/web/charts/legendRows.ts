/** Visible part of a scrolling element, in px. */
export interface ScrolledView {
  readonly top: number;
  readonly height: number;
  readonly width: number;
  /** Height of one row. */
  readonly row: number;
}

interface LegendRows {
  readonly columns: number;
  /** First box that is rendered, and the one after the last. */
  readonly first: number;
  readonly last: number;
  /** Heights that replace the rows that are not rendered, in px. */
  readonly before: number;
  readonly after: number;
}

const COLUMN_WIDTH = 190;
/** Rows rendered above and below the visible ones, so that Tab reaches the next box. */
const OVERSCAN_ROWS = 4;

/** Returns which of `count` boxes in columns are rendered. */
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
