/** Things that are sorted by `order`, then by id. Things that the server has not seen yet come last. */
export type OrderedThings = ReadonlyMap<string, { readonly order: number }>;
/** The new order value of a thing. */
export interface OrderPosition {
  readonly id: string;
  readonly order: number;
}

/** Distance of neighbours after all values were spread. */
const ORDER_STEP = 1024;
/** Minimum gap of neighbours: if they would be closer, all values are spread. */
const MIN_ORDER_GAP = 1e-6;
/** The server accepts order values from minus this to this. */
const MAX_ORDER = 1e9;

const SERVER_ID_PATTERN = /^\d+$/;
function compareIds(a: string, b: string): number {
  const [isServerId, isOtherServerId] = [SERVER_ID_PATTERN.test(a), SERVER_ID_PATTERN.test(b)];
  if (isServerId !== isOtherServerId) return isServerId ? -1 : 1;
  // Longer ids are newer, for digits as well as for 'new', time and count.
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

export function listIdsInOrder(things: OrderedThings): readonly string[] {
  return [...things]
    .toSorted(([id, { order }], [otherId, { order: otherOrder }]) => order - otherOrder || compareIds(id, otherId))
    .map(([id]) => id);
}

/**
 * Returns an order value between two neighbours; undefined neighbours mean an end of the list.
 * Returns undefined if the neighbours are equal or too close, or at the limit of what the server accepts.
 */
export function getOrderBetween(before: number | undefined, after: number | undefined): number | undefined {
  if (before === undefined && after === undefined) return 0;
  const order =
    before === undefined
      ? Number(after) - ORDER_STEP
      : after === undefined
        ? before + ORDER_STEP
        : (before + after) / 2;
  const isValid =
    (before === undefined || order - before >= MIN_ORDER_GAP) &&
    (after === undefined || after - order >= MIN_ORDER_GAP) &&
    Math.abs(order) <= MAX_ORDER;
  return isValid ? order : undefined;
}

/** Spreads the order values of these ids evenly; returns only those that change. */
const spreadOrder = (things: OrderedThings, ids: readonly string[]): readonly OrderPosition[] =>
  ids
    .map((id, index) => ({ id, order: index * ORDER_STEP }))
    .filter(({ id, order }) => things.get(id)?.order !== order);

/**
 * Moves `id` to `index`, counted without itself; too large means last. Returns the order values to change:
 * usually one, all of them if the neighbours are too close, none if nothing changes or the id is unknown.
 */
export function moveInOrder(things: OrderedThings, id: string, index: number): readonly OrderPosition[] {
  const ids = listIdsInOrder(things);
  const otherIds = ids.filter((otherId) => otherId !== id);
  const targetIndex = Math.min(Math.max(0, Math.trunc(index)), otherIds.length);
  if (!things.has(id) || ids[targetIndex] === id) return [];
  const getOrderAt = (position: number): number | undefined => things.get(otherIds[position] ?? '')?.order;
  const order = getOrderBetween(getOrderAt(targetIndex - 1), getOrderAt(targetIndex));
  if (order === undefined) return spreadOrder(things, otherIds.toSpliced(targetIndex, 0, id));
  return [{ id, order }];
}

/** Returns the order value for a new last thing. At the limit it equals the last one's, and the id decides. */
export function getOrderAtEnd(things: OrderedThings): number {
  const last = things.get(listIdsInOrder(things).at(-1) ?? '')?.order;
  return getOrderBetween(last, undefined) ?? last ?? 0;
}

/** State of an item: counted, or one of the three answers of a checkbox. */
export const STATES = { counted: 0, tick: 1, cross: 2, question: 3 } as const;
export type State = (typeof STATES)[keyof typeof STATES];

export interface Item {
  readonly name: string;
  readonly emoji: string;
  readonly desired: number;
  readonly actual: number;
  readonly state: State;
}

/** A group of items, such as a shelf or an aisle. `colour`: a pair, the second one is darker. */
export interface Type {
  readonly name: string;
  readonly colour: readonly [string, string];
  readonly isVisible: boolean;
  /** Created by a user. Only 'Unsorted' is not; it shows items that are linked to no other type. */
  readonly isOwn: boolean;
  /** Ascending; equal values are ordered by id. */
  readonly order: number;
}

/** A list as members see it. Ids are digits, or `new…` until the server assigns one. */
export interface List {
  readonly name: string;
  readonly items: ReadonlyMap<string, Item>;
  readonly types: ReadonlyMap<string, Type>;
  /** Type ids by item id. Both ends exist. */
  readonly links: ReadonlyMap<string, ReadonlySet<string>>;
}

export const ITEM_FIELDS = ['name', 'emoji', 'desired', 'actual', 'state'] as const satisfies readonly (keyof Item)[];
export const TYPE_FIELDS = ['name', 'colour', 'isVisible', 'order'] as const satisfies readonly (keyof Type)[];
export type ItemField = (typeof ITEM_FIELDS)[number];
export type TypeField = (typeof TYPE_FIELDS)[number];

/** What a thing of a list is. */
export type ThingKind = 'item' | 'type';

/** The smallest change. Setting a field of a `new…` id creates the thing. */
export type Change =
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'item'; readonly id: string; readonly field: ItemField; readonly value: string | number }
  | {
      readonly kind: 'type';
      readonly id: string;
      readonly field: TypeField;
      readonly value: string | number | boolean | readonly [string, string];
    }
  /** A difference of `actual`, which never falls below 0. */
  | { readonly kind: 'count'; readonly id: string; readonly by: number }
  | { readonly kind: 'link'; readonly item: string; readonly type: string; readonly isLinked: boolean }
  /** Replaces all links of an item; plain clients send these. */
  | { readonly kind: 'links'; readonly item: string; readonly types: readonly string[] }
  | { readonly kind: 'remove'; readonly thing: ThingKind; readonly id: string };

/** Limits. Lengths are in Unicode code points. */
export const LIMITS = {
  name: 200,
  emoji: 16,
  quantity: 1_000_000,
  items: 2000,
  types: 200,
  /** Changes of one batch. */
  changes: 4000,
} as const;

export const NEW_ITEM: Item = { name: 'New item', emoji: '❓', desired: 10, actual: 0, state: STATES.counted };
export const NEW_TYPE: Type = {
  name: 'New type',
  colour: ['rgba(40,40,40,1)', 'rgba(0,0,0,1)'],
  isVisible: true,
  isOwn: true,
  order: 0,
};
export const UNSORTED = 'Unsorted';
/** Name of a list until its first change is applied. */
export const NEW_LIST_NAME = 'New list';

/** Id of the built-in type of every list. */
export const UNSORTED_ID = '1';

const NEW_ID_PATTERN = /^new[A-Za-z0-9_-]{1,60}$/;
export function isNewId(id: string): boolean {
  return NEW_ID_PATTERN.test(id);
}

export function isCheckbox(state: State): boolean {
  return state !== STATES.counted;
}

/** Switches the mode: a counted item becomes a ticked checkbox, a checkbox becomes counted. */
export function switchMode(state: State): State {
  return isCheckbox(state) ? STATES.counted : STATES.tick;
}

const NEXT_STATE: Readonly<Record<State, State>> = {
  [STATES.counted]: STATES.counted,
  [STATES.tick]: STATES.cross,
  [STATES.cross]: STATES.question,
  [STATES.question]: STATES.tick,
};

/** Returns the next answer of a checkbox: 1, 2, 3, 1. A counted item is unchanged. */
export function cycleState(state: State): State {
  return NEXT_STATE[state];
}

/** Returns whether nothing is left to buy: ticked, or as many as desired. Cross and question mark are still open. */
export function isDone({ state, actual, desired }: Pick<Item, 'state' | 'actual' | 'desired'>): boolean {
  return isCheckbox(state) ? state === STATES.tick : actual >= desired;
}
