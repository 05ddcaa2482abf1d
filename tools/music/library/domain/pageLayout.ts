// How what is drawn of a long page follows a scroll: in pieces, so that no piece of work is long enough to be felt.

/** A part of the page, in steps of its scroll: from `from` to before `until`. */
export interface ScrollRange {
  readonly from: number;
  readonly until: number;
}

/** Made in one piece while less than half of what is to spare is left: a scroll must not come to what is blank. Otherwise a step at a time. */
export const HURRIED = 2;

const isApart = (drawn: ScrollRange, sight: ScrollRange): boolean =>
  drawn.until < sight.from || drawn.from > sight.until;

/**
 * One piece of the way from what is drawn to what is in sight with `spare` steps at either end: what is in sight comes first, then what the
 * scroll comes to soonest. The same stretch where it is there.
 */
export function towards(drawn: ScrollRange, sight: ScrollRange, spare: number): ScrollRange {
  // To take all away is a piece of its own.
  if (isApart(drawn, sight)) return { from: sight.from, until: sight.from };
  const above = sight.from - drawn.from;
  const below = drawn.until - sight.until;
  const most = Math.min(above, below) < spare / 2 ? HURRIED : 1;
  /** By how much an end that has so many steps to spare moves: outwards one end at a time, inwards both. */
  const moved = (has: number, isFirst: boolean): number =>
    has > spare ? -Math.min(most, has - spare) : isFirst ? Math.min(most, spare - has) : 0;
  const isBelowFirst = below <= above;
  const [up, down] = [moved(above, !isBelowFirst), moved(below, isBelowFirst)];
  return up === 0 && down === 0 ? drawn : { from: drawn.from - up, until: drawn.until + down };
}

/** Where something that is carried lands, counted with it taken out: before or behind what stands at `over`. */
export function landing(from: number, over: number, side: 'before' | 'behind'): number {
  const gap = side === 'before' ? over : over + 1;
  return gap > from ? gap - 1 : gap;
}

// Where the parts of a long page stand, worked out from their heights, so that only what is in sight needs to be drawn.

/** A playlist on the page: its head, and under it rows of one height, some of which are opened and higher. */
export interface BlockShape {
  /** Of all above the rows, its border too. */
  readonly head: number;
  readonly rows: number;
  readonly row: number;
  /** By how much a row is higher, by its place; in order. */
  readonly more: readonly (readonly [place: number, height: number])[];
  /** Of what is below the rows, its border too. */
  readonly foot: number;
}

/** Where a row begins, from where the first one does. For one behind the last: where the rows end. */
export function topOfRow({ row, more }: BlockShape, place: number): number {
  return place * row + more.reduce((sum, [at, height]) => (at < place ? sum + height : sum), 0);
}

export function heightOf(block: BlockShape): number {
  return block.head + topOfRow(block, block.rows) + block.foot;
}

/** The row that is at this distance from where the first one begins; the first or last where there is none. */
export function rowAt(block: BlockShape, distance: number): number {
  let before = 0;
  for (const [at, height] of block.more) {
    const bottom = (at + 1) * block.row + before + height;
    if (distance < at * block.row + before) break;
    if (distance < bottom) return at;
    before += height;
  }
  return Math.max(0, Math.min(block.rows - 1, Math.floor((distance - before) / block.row)));
}

/** Part of a block that is in sight. */
export interface VisiblePart {
  readonly block: number;
  /** Rows from `first` to before `end`. */
  readonly first: number;
  readonly end: number;
}

export interface ViewportState {
  /** Of all blocks, with the gaps between them. */
  readonly height: number;
  /** Where the first of `seen` begins. */
  readonly top: number;
  readonly seen: readonly VisiblePart[];
}

/** Where each block begins, and, last, where one more would. */
export function topsOf(blocks: readonly BlockShape[], gap: number): readonly number[] {
  const tops = [0];
  for (const block of blocks) tops.push((tops.at(-1) ?? 0) + heightOf(block) + gap);
  return tops;
}

const seenOf = (block: BlockShape, at: number, [from, until]: readonly [number, number]): VisiblePart => {
  if (block.rows === 0 || until <= block.head || from >= heightOf(block) - block.foot)
    return { block: at, first: 0, end: 0 };
  return { block: at, first: rowAt(block, from - block.head), end: rowAt(block, until - block.head) + 1 };
};

/**
 * What stands between `from` and `until`, counted from where the first block begins; nothing where they are the same. It is asked for with every step of a scroll: where all
 * blocks stand is worked out before.
 * @param tops Of these blocks with that gap.
 */
export function sightOf(
  blocks: readonly BlockShape[],
  { tops, gap }: { readonly tops: readonly number[]; readonly gap: number },
  [from, until]: readonly [number, number],
): ViewportState {
  const topOf = (at: number): number => tops[at] ?? 0;
  const seen: VisiblePart[] = [];
  const end = from < until ? until : -Infinity;
  for (let at = 0; at < blocks.length && topOf(at) < end; at += 1) {
    const block = blocks[at];
    if (block && topOf(at + 1) - gap > from) seen.push(seenOf(block, at, [from - topOf(at), until - topOf(at)]));
  }
  return { height: Math.max(0, topOf(blocks.length) - gap), top: topOf(seen[0]?.block ?? 0), seen };
}
