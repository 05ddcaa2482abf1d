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
export const towards = (drawn: ScrollRange, sight: ScrollRange, spare: number): ScrollRange => {
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
};
