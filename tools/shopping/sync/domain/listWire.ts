import type { Item, ItemField, List, Type, TypeField } from '../../lists/domain/list.ts';
import { copyOf, withLinks, withoutItem, withoutType, type ListDraft } from './applyChanges.ts';
import type { LeafChange, Outcome } from './engine.ts';

// No schemas here: the rules and every page can import these values without loading the contract.

/** Marks a removed thing, in place of a value. */
export const REMOVED = '_REMOVE';

/** JSON of the wire (docs/specification/shopping.md section 3.1). Wire names appear only here and in the contract. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type WireChange = readonly [readonly string[], Json];

export const ITEM_NAMES: Readonly<Record<string, ItemField>> = {
  name: 'name',
  emoji: 'emoji',
  defaultquantity: 'desired',
  actualquantity: 'actual',
  state: 'state',
};
export const TYPE_NAMES: Readonly<Record<string, TypeField>> = {
  name: 'name',
  colour: 'colour',
  visualised: 'isVisible',
  order: 'order',
};
export function wireName(names: Readonly<Record<string, string>>, field: string): string {
  return Object.keys(names).find((name) => names[name] === field) ?? field;
}

export function itemOnWire({ name, emoji, desired, actual, state }: Item): Json {
  return {
    name,
    emoji,
    defaultquantity: desired,
    actualquantity: actual,
    state,
  };
}
export function typeOnWire({ name, colour, isVisible, isOwn, order }: Type): Json {
  return {
    name,
    colour: [...colour],
    visualised: isVisible,
    userset: isOwn,
    order,
  };
}

/** Returns the tree of a whole list. */
export function treeOf({ name, items, types, links }: List) {
  return {
    name,
    items: Object.fromEntries([...items].map(([id, item]) => [id, itemOnWire(item)])),
    types: Object.fromEntries([...types].map(([id, type]) => [id, typeOnWire(type)])),
    links: Object.fromEntries([...links].map(([id, linked]) => [id, [...linked]])),
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const toItem = (value: Json): Item | undefined => {
  if (!isRecord(value)) return undefined;
  const { name, emoji, defaultquantity, actualquantity, state } = value;
  // The server sends all fields of a thing, so they are not validated.
  return { name, emoji, desired: defaultquantity, actual: actualquantity, state } as Item;
};
const toType = (value: Json): Type | undefined => {
  if (!isRecord(value)) return undefined;
  const { name, colour, visualised, userset, order } = value;
  return { name, colour, isVisible: visualised, isOwn: userset, order } as Type;
};

const setThing = (draft: ListDraft, kind: string, id: string, value: Json): void => {
  if (kind === 'items') {
    const item = toItem(value);
    if (item) draft.items.set(id, item);
    else withoutItem(draft, id);
  } else {
    const type = toType(value);
    if (type) draft.types.set(id, type);
    else withoutType(draft, id);
  }
};

const setField = (draft: ListDraft, [kind, id = '', field = '']: readonly string[], value: Json): void => {
  const [item, type] = [draft.items.get(id), draft.types.get(id)];
  const [ofItem, ofType] = [ITEM_NAMES[field], TYPE_NAMES[field]];
  if (kind === 'items' && item && ofItem) draft.items.set(id, { ...item, [ofItem]: value });
  if (kind === 'types' && type && ofType) draft.types.set(id, { ...type, [ofType]: value });
};

const setOne = (draft: ListDraft, [path, value]: WireChange): void => {
  const [kind = '', id = '', field] = path;
  if (kind === 'name') draft.name = typeof value === 'string' ? value : draft.name;
  else if (kind === 'links') withLinks(draft, id, new Set(Array.isArray(value) ? value.map(String) : []));
  else if (field === undefined) setThing(draft, kind, id, value);
  else setField(draft, path, value);
};

/** Applies the server's `[path, value]` changes in order. */
export function applyWireChanges(list: List, changes: readonly WireChange[]): List {
  if (changes.length === 0) return list;
  const draft = copyOf(list);
  for (const change of changes) setOne(draft, change);
  return draft;
}

/** Returns the list of a tree. */
export function fromTree(tree: ReturnType<typeof treeOf>): List {
  return applyWireChanges({ name: tree.name, items: new Map(), types: new Map(), links: new Map() }, [
    ...Object.entries(tree.items).map(([id, item]): WireChange => [['items', id], item]),
    ...Object.entries(tree.types).map(([id, type]): WireChange => [['types', id], type]),
    ...Object.entries(tree.links).map(([id, types]): WireChange => [['links', id], types]),
  ]);
}

const leafOnWire = ([path, value]: LeafChange, list: List): WireChange => {
  const [kind = '', id = '', field] = path.split('/');
  if (kind === 'links') return [['links', id], [...(list.links.get(id) ?? [])]];
  if (kind === 'name' || field === undefined) return [path.split('/'), value === undefined ? REMOVED : value];
  return [[kind, id, wireName(kind === 'items' ? ITEM_NAMES : TYPE_NAMES, field)], value as Json];
};

/** Returns the whole thing if the change creates it. */
const toWholeThing = ([path, value]: LeafChange, list: List): Json | undefined => {
  const [kind, id = '', more] = path.split('/');
  if (value !== true || more !== undefined) return undefined;
  const [item, type] = [list.items.get(id), list.types.get(id)];
  if (kind === 'items') return item && itemOnWire(item);
  return type && typeOnWire(type);
};

/** Fields and links of a removed thing are not sent: removing it removes them. */
const isNeeded = ([path, value]: LeafChange, list: List): boolean => {
  const [kind, id = '', more] = path.split('/');
  return kind === 'links' ? list.items.has(id) : value !== undefined || more === undefined;
};

/** Converts engine changes to `[path, value]`. `list` is the list afterwards; a new thing is sent whole, once. */
export function changesOnWire(changes: readonly LeafChange[], list: List): readonly WireChange[] {
  const whole = new Map<string, Json>();
  for (const change of changes) {
    const thing = toWholeThing(change, list);
    if (thing !== undefined) whole.set(change[0], thing);
  }
  const byPath = new Map<string, WireChange>();
  for (const change of changes.filter((each) => isNeeded(each, list))) {
    const [kind = '', id = ''] = change[0].split('/');
    const thing = whole.get(`${kind}/${id}`);
    const wire: WireChange = thing === undefined ? leafOnWire(change, list) : [[kind, id], thing];
    byPath.set(wire[0].join('/'), wire);
  }
  // Things before the links to them.
  return [...byPath.values()].toSorted(([one], [other]) => Number(one[0] === 'links') - Number(other[0] === 'links'));
}

/**
 * Builds the answer for a plain client: each `new…` thing is removed and sent again with its server id and links,
 * and changes that lost a conflict are replaced by current values. `list` is the list afterwards.
 */
export function answerOnWire(
  { ids, corrections }: Pick<Outcome, 'ids' | 'corrections'>,
  list: List,
): readonly WireChange[] {
  const things = [...ids].flatMap(([sent, id]): readonly WireChange[] => {
    const [item, type] = [list.items.get(id), list.types.get(id)];
    if (item) return [toRemoval('items', sent), [['items', id], itemOnWire(item)]];
    if (type) return [toRemoval('types', sent), [['types', id], typeOnWire(type)]];
    return [toRemoval('items', sent), toRemoval('types', sent)];
  });
  const assignedIds = new Set(ids.values());
  const links = [...list.links].filter(
    ([item, types]) => assignedIds.has(item) || [...types].some((type) => assignedIds.has(type)),
  );
  return [
    ...things,
    ...changesOnWire(corrections, list),
    ...links.map(([item, types]): WireChange => [['links', item], [...types]]),
  ];
}
const toRemoval = (kind: string, id: string): WireChange => [[kind, id], REMOVED];
