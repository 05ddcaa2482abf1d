// Renders a long page in small steps while it scrolls, so that no single render blocks the page.

/** A range of the page in scroll steps; `until` is exclusive. */
export interface ScrollRange {
  readonly from: number;
  readonly until: number;
}

/**
 * Steps per update while less than half of the overscan is left, so that a scroll never reaches blank rows. Otherwise
 * there is one step per update.
 */
export const MAX_CATCH_UP_STEPS = 2;

const isApart = (rendered: ScrollRange, viewport: ScrollRange): boolean =>
  rendered.until < viewport.from || rendered.from > viewport.until;

/**
 * Returns the next range on the way from the rendered rows to the viewport with `overscan` steps at both ends.
 * Rows in view come first, then those in scroll direction. Returns the same object if nothing changes.
 */
export function stepTowards(rendered: ScrollRange, viewport: ScrollRange, overscan: number): ScrollRange {
  // Removing everything is a separate step.
  if (isApart(rendered, viewport)) return { from: viewport.from, until: viewport.from };
  const above = viewport.from - rendered.from;
  const below = rendered.until - viewport.until;
  const max = Math.min(above, below) < overscan / 2 ? MAX_CATCH_UP_STEPS : 1;
  /** Returns by how many steps an end with this overscan moves: outwards one end at a time, inwards both. */
  const getEndStep = (current: number, isFirst: boolean): number =>
    current > overscan ? -Math.min(max, current - overscan) : isFirst ? Math.min(max, overscan - current) : 0;
  const isBelowFirst = below <= above;
  const [up, down] = [getEndStep(above, !isBelowFirst), getEndStep(below, isBelowFirst)];
  return up === 0 && down === 0 ? rendered : { from: rendered.from - up, until: rendered.until + down };
}

/** Returns the index at which a dragged item lands, counted without the item: before or after the one at `over`. */
export function getDropIndex(from: number, over: number, side: 'before' | 'after'): number {
  const gap = side === 'before' ? over : over + 1;
  return gap > from ? gap - 1 : gap;
}

// The layout of a long page, computed from heights, so that only rows in view need to be rendered.

/** A playlist on the page: a header and rows of equal height, except for expanded ones. */
export interface BlockShape {
  /** Height of everything above the rows, including the border. */
  readonly head: number;
  readonly rows: number;
  readonly row: number;
  /** Additional heights of expanded rows by index, in order. */
  readonly more: readonly (readonly [place: number, height: number])[];
  /** Height of everything below the rows, including the border. */
  readonly foot: number;
}

/** Returns the top of a row, relative to the first row. After the last row: the end of the rows. */
export function getRowTop({ row, more }: BlockShape, place: number): number {
  return place * row + more.reduce((sum, [at, height]) => (at < place ? sum + height : sum), 0);
}

export function getBlockHeight(block: BlockShape): number {
  return block.head + getRowTop(block, block.rows) + block.foot;
}

/** Returns the row at a distance from the top of the first row, clamped to the first and last row. */
export function findRowAt(block: BlockShape, distance: number): number {
  let before = 0;
  for (const [at, height] of block.more) {
    const bottom = (at + 1) * block.row + before + height;
    if (distance < at * block.row + before) break;
    if (distance < bottom) return at;
    before += height;
  }
  return Math.max(0, Math.min(block.rows - 1, Math.floor((distance - before) / block.row)));
}

/** The part of a block that is in view. */
export interface VisiblePart {
  readonly block: number;
  /** Rows from `first` to `end`, which is exclusive. */
  readonly first: number;
  readonly end: number;
}

export interface VisibleRange {
  /** Height of all blocks with the gaps between them. */
  readonly height: number;
  /** Top of the first block in `parts`. */
  readonly top: number;
  readonly parts: readonly VisiblePart[];
}

/** Returns the top of each block, and finally the top that another one would have. */
export function listBlockTops(blocks: readonly BlockShape[], gap: number): readonly number[] {
  const tops = [0];
  for (const block of blocks) tops.push((tops.at(-1) ?? 0) + getBlockHeight(block) + gap);
  return tops;
}

function getVisiblePart(block: BlockShape, at: number, [from, until]: readonly [number, number]): VisiblePart {
  if (block.rows === 0 || until <= block.head || from >= getBlockHeight(block) - block.foot)
    return { block: at, first: 0, end: 0 };
  return { block: at, first: findRowAt(block, from - block.head), end: findRowAt(block, until - block.head) + 1 };
}

/**
 * Returns what is in view between `from` and `until`, relative to the first block; nothing if they are equal.
 * @param tops precomputed, because this runs on every scroll event
 */
export function getVisibleRange(
  blocks: readonly BlockShape[],
  { tops, gap }: { readonly tops: readonly number[]; readonly gap: number },
  [from, until]: readonly [number, number],
): VisibleRange {
  const getTop = (at: number): number => tops[at] ?? 0;
  const parts: VisiblePart[] = [];
  const end = from < until ? until : -Infinity;
  for (let at = 0; at < blocks.length && getTop(at) < end; at += 1) {
    const block = blocks[at];
    if (block && getTop(at + 1) - gap > from)
      parts.push(getVisiblePart(block, at, [from - getTop(at), until - getTop(at)]));
  }
  return { height: Math.max(0, getTop(blocks.length) - gap), top: getTop(parts[0]?.block ?? 0), parts };
}
