import { type Item, type List, type Type, listIdsInOrder, isDone } from '../../domain/list.ts';

/** Approximate heights of the parts of a block. */
const HEADER_PX = 66;
const ROW_PX = 61;
/** Minimum column width and the gap between columns (docs/design/appearance.md section 3.2). */
const MIN_COLUMN_PX = 360;
const COLUMN_GAP_PX = 16;

/** Returns how many columns fit into a width. */
export function countColumns(width: number): number {
  return Math.max(1, Math.floor((width + COLUMN_GAP_PX) / (MIN_COLUMN_PX + COLUMN_GAP_PX)));
}

export function getBlockHeight({ items }: { readonly items: readonly unknown[] }): number {
  return HEADER_PX + ROW_PX * Math.max(1, items.length);
}

/** Returns how many rows of each block are visible in a window of this height while the column starts at its top. */
export function countVisibleRows(
  column: readonly { readonly items: readonly unknown[] }[],
  windowHeight: number,
): readonly number[] {
  let top = 0;
  return column.map((block) => {
    const rows = Math.ceil((windowHeight - top - HEADER_PX) / ROW_PX);
    top += getBlockHeight(block);
    return Math.min(block.items.length, Math.max(0, rows));
  });
}

/** Returns the height of rows that are not rendered yet, in pixels. */
export function getRowsHeight(count: number): number {
  return ROW_PX * count;
}

/** Fills columns in order, up to a height. A higher block gets a column of its own. */
function fillColumns<T>(
  blocks: readonly T[],
  heights: readonly number[],
  maxHeight: number,
): readonly (readonly T[])[] {
  const columns: T[][] = [];
  let height = Infinity;
  blocks.forEach((block, index) => {
    const blockHeight = heights[index] ?? 0;
    if (height + blockHeight > maxHeight) {
      columns.push([]);
      height = 0;
    }
    columns.at(-1)?.push(block);
    height += blockHeight;
  });
  return columns;
}

/**
 * Distributes blocks over columns in order, so that the highest column is as low as possible.
 * CSS columns would lay out all items again with every tick.
 */
export function distributeBlocks<T extends { readonly items: readonly unknown[] }>(
  blocks: readonly T[],
  count: number,
): readonly (readonly T[])[] {
  const heights = blocks.map(getBlockHeight);
  let low = Math.max(0, ...heights);
  let high = heights.reduce((sum, height) => sum + height, 0);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fillColumns(blocks, heights, middle).length <= count) high = middle;
    else low = middle + 1;
  }
  return fillColumns(blocks, heights, low);
}

/** A type with its visible items. */
export interface Block {
  readonly id: string;
  readonly type: Type;
  readonly items: readonly (readonly [string, Item])[];
  readonly doneCount: number;
}

interface Blocks {
  readonly blocks: readonly Block[];
  /** Number of items in no block, as none of their types is visible. */
  readonly hiddenCount: number;
}

type Entry = readonly [string, Item];

/**
 * Builds a block per visible type, in the order of types, with items in the order of the list.
 * Skips empty built-in types.
 */
export function toBlocks({ items, types, links }: List): Blocks {
  const entriesByType = new Map<string, Entry[]>([...types.keys()].map((id) => [id, []]));
  const builtInIds = new Set([...types].filter(([, { isOwn }]) => !isOwn).map(([id]) => id));
  let hiddenCount = 0;
  for (const entry of items) {
    let hasOwnType = false;
    let isVisible = false;
    const addToBlock = (id: string): void => {
      entriesByType.get(id)?.push(entry);
      if (types.get(id)?.isVisible) isVisible = true;
    };
    for (const id of links.get(entry[0]) ?? [])
      if (!builtInIds.has(id)) {
        hasOwnType = true;
        addToBlock(id);
      }
    if (!hasOwnType) builtInIds.forEach(addToBlock);
    if (!isVisible) hiddenCount += 1;
  }
  const blocks = listIdsInOrder(types).flatMap((id): readonly Block[] => {
    const type = types.get(id);
    const blockItems = entriesByType.get(id) ?? [];
    if (!type?.isVisible || (!type.isOwn && blockItems.length === 0)) return [];
    return [{ id, type, items: blockItems, doneCount: blockItems.filter(([, item]) => isDone(item)).length }];
  });
  return { blocks, hiddenCount };
}
