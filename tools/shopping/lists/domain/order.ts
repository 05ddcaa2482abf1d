/** What stands in an order: smaller ones first, equal ones by id, what the server has not seen yet last. */
export type OrderedThings = ReadonlyMap<string, { readonly order: number }>;
/** The new place of one of them. */
export interface OrderPosition {
  readonly id: string;
  readonly order: number;
}

/** Between two that were spread anew. */
const STEP = 1024;
/** Neighbours nearer than this take nothing between them any more: then all are spread anew. */
const MIN_ORDER_GAP = 1e-6;
/** The server takes places from minus this to this. */
const FURTHEST = 1e9;

const DIGITS = /^\d+$/;
const byId = (one: string, other: string): number => {
  const [isOld, isOtherOld] = [DIGITS.test(one), DIGITS.test(other)];
  if (isOld !== isOtherOld) return isOld ? -1 : 1;
  // Longer means later, for digits as for 'new', a time and a count.
  return one.length - other.length || (one < other ? -1 : Number(one > other));
};

/** The ids in their order. */
export const inOrder = (things: OrderedThings): readonly string[] =>
  [...things]
    .toSorted(([one, { order }], [other, { order: otherOrder }]) => order - otherOrder || byId(one, other))
    .map(([id]) => id);

/**
 * A place between two neighbours, either of which may be missing at an end. Nothing where there is no room: neighbours that are equal, too
 * near, or at the end of what the server takes.
 */
export const placeBetween = (before: number | undefined, after: number | undefined): number | undefined => {
  if (before === undefined && after === undefined) return 0;
  const place =
    before === undefined ? Number(after) - STEP : after === undefined ? before + STEP : (before + after) / 2;
  const hasRoom =
    (before === undefined || place - before >= MIN_ORDER_GAP) &&
    (after === undefined || after - place >= MIN_ORDER_GAP) &&
    Math.abs(place) <= FURTHEST;
  return hasRoom ? place : undefined;
};

/** Places far from each other for all of these, in this order; only those told that have another one now. */
const spread = (things: OrderedThings, ids: readonly string[]): readonly OrderPosition[] =>
  ids.map((id, index) => ({ id, order: index * STEP })).filter(({ id, order }) => things.get(id)?.order !== order);

/**
 * What to change so that `id` stands at `index` (0 is first, counted without itself; too large is last). Most often one place; all of
 * them where there is no room; none where it stands there already, or is none of them.
 */
export const moved = (things: OrderedThings, id: string, index: number): readonly OrderPosition[] => {
  const before = inOrder(things);
  const others = before.filter((each) => each !== id);
  const at = Math.min(Math.max(0, Math.trunc(index)), others.length);
  if (!things.has(id) || before[at] === id) return [];
  const orderAt = (place: number): number | undefined => things.get(others[place] ?? '')?.order;
  const order = placeBetween(orderAt(at - 1), orderAt(at));
  if (order === undefined) return spread(things, others.toSpliced(at, 0, id));
  return [{ id, order }];
};

/** The place of one that is added at the end. Next to one at the far end it shares its place, and stands behind it by its id. */
export const placeAtEnd = (things: OrderedThings): number => {
  const last = things.get(inOrder(things).at(-1) ?? '')?.order;
  return placeBetween(last, undefined) ?? last ?? 0;
};
