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
export function inOrder(things: OrderedThings): readonly string[] {
  return [...things]
    .toSorted(([one, { order }], [other, { order: otherOrder }]) => order - otherOrder || byId(one, other))
    .map(([id]) => id);
}

/**
 * A place between two neighbours, either of which may be missing at an end. Nothing where there is no room: neighbours that are equal, too
 * near, or at the end of what the server takes.
 */
export function placeBetween(before: number | undefined, after: number | undefined): number | undefined {
  if (before === undefined && after === undefined) return 0;
  const place =
    before === undefined ? Number(after) - STEP : after === undefined ? before + STEP : (before + after) / 2;
  const hasRoom =
    (before === undefined || place - before >= MIN_ORDER_GAP) &&
    (after === undefined || after - place >= MIN_ORDER_GAP) &&
    Math.abs(place) <= FURTHEST;
  return hasRoom ? place : undefined;
}

/** Places far from each other for all of these, in this order; only those told that have another one now. */
const spread = (things: OrderedThings, ids: readonly string[]): readonly OrderPosition[] =>
  ids.map((id, index) => ({ id, order: index * STEP })).filter(({ id, order }) => things.get(id)?.order !== order);

/**
 * What to change so that `id` stands at `index` (0 is first, counted without itself; too large is last). Most often one place; all of
 * them where there is no room; none where it stands there already, or is none of them.
 */
export function moved(things: OrderedThings, id: string, index: number): readonly OrderPosition[] {
  const before = inOrder(things);
  const others = before.filter((each) => each !== id);
  const at = Math.min(Math.max(0, Math.trunc(index)), others.length);
  if (!things.has(id) || before[at] === id) return [];
  const orderAt = (place: number): number | undefined => things.get(others[place] ?? '')?.order;
  const order = placeBetween(orderAt(at - 1), orderAt(at));
  if (order === undefined) return spread(things, others.toSpliced(at, 0, id));
  return [{ id, order }];
}

/** The place of one that is added at the end. Next to one at the far end it shares its place, and stands behind it by its id. */
export function placeAtEnd(things: OrderedThings): number {
  const last = things.get(inOrder(things).at(-1) ?? '')?.order;
  return placeBetween(last, undefined) ?? last ?? 0;
}

/** Shopping lists: what they hold, and how changes of them are written. Everything here is plain data. */

/** How an item stands: 0 is counted, the others are the three answers of a checkbox. */
export const STATES = { counted: 0, tick: 1, cross: 2, question: 3 } as const;
export type State = (typeof STATES)[keyof typeof STATES];

export interface Item {
  readonly name: string;
  readonly emoji: string;
  readonly desired: number;
  readonly actual: number;
  readonly state: State;
}

/** A shelf, an aisle, a kind: it groups items. `colour` is a pair, the second a darker shade. */
export interface Type {
  readonly name: string;
  readonly colour: readonly [string, string];
  readonly isVisible: boolean;
  /** Made by a person; the one that is not is 'Unsorted', and shows what is linked to no other. */
  readonly isOwn: boolean;
  /** Smaller ones stand first; equal ones by id. */
  readonly order: number;
}

/** What everyone sees of a list. Ids are digits, or `new…` where the server has not given one yet. */
export interface List {
  readonly name: string;
  readonly items: ReadonlyMap<string, Item>;
  readonly types: ReadonlyMap<string, Type>;
  /** Type ids by item id. Both ends are there. */
  readonly links: ReadonlyMap<string, ReadonlySet<string>>;
}

export const ITEM_FIELDS = ['name', 'emoji', 'desired', 'actual', 'state'] as const satisfies readonly (keyof Item)[];
export const TYPE_FIELDS = ['name', 'colour', 'isVisible', 'order'] as const satisfies readonly (keyof Type)[];
export type ItemField = (typeof ITEM_FIELDS)[number];
export type TypeField = (typeof TYPE_FIELDS)[number];

/** One change, as small as it can be told. Setting a field of a `new…` id makes the thing. */
export type Change =
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'item'; readonly id: string; readonly field: ItemField; readonly value: string | number }
  | {
      readonly kind: 'type';
      readonly id: string;
      readonly field: TypeField;
      readonly value: string | number | boolean | readonly [string, string];
    }
  /** Plus and minus: a difference of `actual`, which never falls below 0. */
  | { readonly kind: 'count'; readonly id: string; readonly by: number }
  | { readonly kind: 'link'; readonly item: string; readonly type: string; readonly isLinked: boolean }
  /** All links of an item at once, as a plain client tells them. */
  | { readonly kind: 'links'; readonly item: string; readonly types: readonly string[] }
  | { readonly kind: 'remove'; readonly thing: 'item' | 'type'; readonly id: string };

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
/** What a list is called before its maker's first change is taken. */
export const NEW_LIST_NAME = 'New list';

/** The built-in type of every list. */
export const UNSORTED_ID = '1';

const NEW_ID = /^new[A-Za-z0-9_-]{1,60}$/;
export function isNewId(id: string): boolean {
  return NEW_ID.test(id);
}

export function isCheckbox(state: State): boolean {
  return state !== STATES.counted;
}

/** The other mode: a counted item becomes a checkbox with a tick, every checkbox is counted again. */
export function switched(state: State): State {
  return isCheckbox(state) ? STATES.counted : STATES.tick;
}

const NEXT: Readonly<Record<State, State>> = {
  [STATES.counted]: STATES.counted,
  [STATES.tick]: STATES.cross,
  [STATES.cross]: STATES.question,
  [STATES.question]: STATES.tick,
};

/** The next answer of a checkbox: 1, 2, 3, 1. A counted item stays one. */
export function cycled(state: State): State {
  return NEXT[state];
}

/** Nothing more is to be bought of it: ticked, or as many as desired. A cross and a question mark are still open. */
export function isDone({ state, actual, desired }: Pick<Item, 'state' | 'actual' | 'desired'>): boolean {
  return isCheckbox(state) ? state === STATES.tick : actual >= desired;
}
