/** Heights of what stands in a block, in pixels: they need not be exact, only alike. */
const HEAD = 66;
const ROW = 61;
/** Least width of a column, and what is between two (look.md section 6). */
const WIDTH = 360;
const GAP = 16;

/** How many columns stand side by side in a place this wide. */
export const columnsIn = (width: number): number => Math.max(1, Math.floor((width + GAP) / (WIDTH + GAP)));

export const heightOf = ({ items }: { readonly items: readonly unknown[] }): number =>
  HEAD + ROW * Math.max(1, items.length);

/** How many rows of each block of a column are seen in a window of this height while the column's head is at its top. */
export const rowsSeen = (
  column: readonly { readonly items: readonly unknown[] }[],
  window: number,
): readonly number[] => {
  let top = 0;
  return column.map((block) => {
    const rows = Math.ceil((window - top - HEAD) / ROW);
    top += heightOf(block);
    return Math.min(block.items.length, Math.max(0, rows));
  });
};

/** What rows that are not drawn yet leave free. */
export const heightOfRows = (count: number): number => ROW * count;

/** One after the other into columns of at most this height; what is higher by itself has one of its own. */
const filled = <T>(blocks: readonly T[], heights: readonly number[], most: number): readonly (readonly T[])[] => {
  const columns: T[][] = [];
  let height = Infinity;
  blocks.forEach((block, at) => {
    const its = heights[at] ?? 0;
    if (height + its > most) {
      columns.push([]);
      height = 0;
    }
    columns.at(-1)?.push(block);
    height += its;
  });
  return columns;
};

/**
 * Blocks in their order, down one column and on in the next, so that the highest column is as low as can be. We do what CSS columns would:
 * those lay out all of a thousand items again with every tick.
 */
export const inColumns = <T extends { readonly items: readonly unknown[] }>(
  blocks: readonly T[],
  count: number,
): readonly (readonly T[])[] => {
  const heights = blocks.map(heightOf);
  let low = Math.max(0, ...heights);
  let high = heights.reduce((sum, height) => sum + height, 0);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (filled(blocks, heights, middle).length <= count) high = middle;
    else low = middle + 1;
  }
  return filled(blocks, heights, low);
};
