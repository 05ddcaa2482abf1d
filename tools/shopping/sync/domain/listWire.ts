import type { Item, ItemField, List, Type, TypeField } from '../../lists/domain/list.ts';
import { applyPatches, type LeafChange, type ListPatch } from './listReducer.ts';
import type { Outcome } from './mergeBatch.ts';

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
export function toTree({ name, items, types, links }: List) {
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

/** Fields that this version does not know are ignored. */
const toPatch = ([path, value]: WireChange): readonly ListPatch[] => {
  const [kind = '', id = '', field] = path;
  if (kind === 'name') return typeof value === 'string' ? [['name', value]] : [];
  if (kind === 'links') return [[`links/${id}`, Array.isArray(value) ? value.map(String) : []]];
  if (field === undefined) return [[`${kind}/${id}`, kind === 'items' ? toItem(value) : toType(value)]];
  const name = (kind === 'items' ? ITEM_NAMES : TYPE_NAMES)[field];
  return name === undefined ? [] : [[`${kind}/${id}/${name}`, value as LeafChange[1]]];
};

/** Applies the server's `[path, value]` changes in order. */
export function applyWireChanges(list: List, changes: readonly WireChange[]): List {
  return applyPatches(list, changes.flatMap(toPatch));
}

/** Returns the list of a tree. */
export function fromTree(tree: ReturnType<typeof toTree>): List {
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

/** Converts changes of leaves to `[path, value]`. `list` is the list afterwards; a new thing is sent whole, once. */
export function toWireChanges(changes: readonly LeafChange[], list: List): readonly WireChange[] {
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
export function toWireAnswer(
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
    ...toWireChanges(corrections, list),
    ...links.map(([item, types]): WireChange => [['links', item], [...types]]),
  ];
}
const toRemoval = (kind: string, id: string): WireChange => [[kind, id], REMOVED];
