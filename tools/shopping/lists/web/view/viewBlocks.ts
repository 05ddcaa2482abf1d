import { type Item, type List, type Type, listIdsInOrder, isDone } from '../../domain/list.ts';

/** Approximate heights of the parts of a block, in pixels. */
const HEAD = 66;
const ROW = 61;
/** Minimum column width and the gap between columns, in pixels (docs/design/appearance.md section 3.2). */
const WIDTH = 360;
const GAP = 16;

/** Returns how many columns fit into a width. */
export function countColumns(width: number): number {
  return Math.max(1, Math.floor((width + GAP) / (WIDTH + GAP)));
}

export function getBlockHeight({ items }: { readonly items: readonly unknown[] }): number {
  return HEAD + ROW * Math.max(1, items.length);
}

/** Returns how many rows of each block are visible in a window of this height while the column starts at its top. */
export function rowsSeen(column: readonly { readonly items: readonly unknown[] }[], window: number): readonly number[] {
  let top = 0;
  return column.map((block) => {
    const rows = Math.ceil((window - top - HEAD) / ROW);
    top += getBlockHeight(block);
    return Math.min(block.items.length, Math.max(0, rows));
  });
}

/** Returns the height of rows that are not rendered yet, in pixels. */
export function getRowsHeight(count: number): number {
  return ROW * count;
}

/** Fills columns up to this height in order; a higher block gets its own column. */
const filled = <T>(blocks: readonly T[], heights: readonly number[], max: number): readonly (readonly T[])[] => {
  const columns: T[][] = [];
  let height = Infinity;
  blocks.forEach((block, at) => {
    const blockHeight = heights[at] ?? 0;
    if (height + blockHeight > max) {
      columns.push([]);
      height = 0;
    }
    columns.at(-1)?.push(block);
    height += blockHeight;
  });
  return columns;
};

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
    if (filled(blocks, heights, middle).length <= count) high = middle;
    else low = middle + 1;
  }
  return filled(blocks, heights, low);
}

/** A type with its visible items. */
export interface Block {
  readonly id: string;
  readonly type: Type;
  readonly items: readonly (readonly [string, Item])[];
  readonly done: number;
}

interface Blocks {
  readonly blocks: readonly Block[];
  /** Number of items in no block, as none of their types is visible. */
  readonly hidden: number;
}

type Entry = readonly [string, Item];

/**
 * Builds a block per visible type, in the order of types, with items in the order of the list.
 * Skips empty built-in types.
 */
export function toBlocks({ items, types, links }: List): Blocks {
  const byType = new Map<string, Entry[]>([...types.keys()].map((id) => [id, []]));
  const builtIn = new Set([...types].filter(([, { isOwn }]) => !isOwn).map(([id]) => id));
  let hidden = 0;
  for (const entry of items) {
    let isOwn = false;
    let isSeen = false;
    const put = (id: string): void => {
      byType.get(id)?.push(entry);
      if (types.get(id)?.isVisible) isSeen = true;
    };
    for (const id of links.get(entry[0]) ?? [])
      if (!builtIn.has(id)) {
        isOwn = true;
        put(id);
      }
    if (!isOwn) builtIn.forEach(put);
    if (!isSeen) hidden += 1;
  }
  const blocks = listIdsInOrder(types).flatMap((id): readonly Block[] => {
    const type = types.get(id);
    const ownItems = byType.get(id) ?? [];
    if (!type?.isVisible || (!type.isOwn && ownItems.length === 0)) return [];
    return [{ id, type, items: ownItems, done: ownItems.filter(([, item]) => isDone(item)).length }];
  });
  return { blocks, hidden };
}
