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
export const isNewId = (id: string): boolean => NEW_ID.test(id);
