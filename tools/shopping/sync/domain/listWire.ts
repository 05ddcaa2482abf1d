import type { Item, ItemField, List, Type, TypeField } from '../../lists/domain/list.ts';
import { applyPatches, type LeafChange, type ListPatch } from './listReducer.ts';
import type { MergeResult } from './mergeBatch.ts';

// No schemas here: the rules and every page can import these values without loading the contract.

/** Marks a removed thing, in place of a value. */
export const REMOVED = '_REMOVE';

/** JSON of the wire (docs/specification/shopping.md section 3.1). Wire names appear only here and in the contract. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type WireChange = readonly [readonly string[], Json];

export const ITEM_FIELD_BY_WIRE_NAME: Readonly<Record<string, ItemField>> = {
  name: 'name',
  emoji: 'emoji',
  defaultquantity: 'desired',
  actualquantity: 'actual',
  state: 'state',
};
export const TYPE_FIELD_BY_WIRE_NAME: Readonly<Record<string, TypeField>> = {
  name: 'name',
  colour: 'colour',
  visualised: 'isVisible',
  order: 'order',
};
export function getWireName(names: Readonly<Record<string, string>>, field: string): string {
  return Object.keys(names).find((name) => names[name] === field) ?? field;
}

export function toWireItem({ name, emoji, desired, actual, state }: Item): Json {
  return { name, emoji, defaultquantity: desired, actualquantity: actual, state };
}
export function toWireType({ name, colour, isVisible, isOwn, order }: Type): Json {
  return { name, colour: [...colour], visualised: isVisible, userset: isOwn, order };
}

/** Converts a list to its tree. */
export function toTree({ name, items, types, links }: List) {
  return {
    name,
    items: Object.fromEntries([...items].map(([id, item]) => [id, toWireItem(item)])),
    types: Object.fromEntries([...types].map(([id, type]) => [id, toWireType(type)])),
    links: Object.fromEntries([...links].map(([id, linkedTypes]) => [id, [...linkedTypes]])),
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toItem(value: Json): Item | undefined {
  if (!isRecord(value)) return undefined;
  const { name, emoji, defaultquantity, actualquantity, state } = value;
  // The server sends all fields of a thing, so they are not validated.
  return { name, emoji, desired: defaultquantity, actual: actualquantity, state } as Item;
}
function toType(value: Json): Type | undefined {
  if (!isRecord(value)) return undefined;
  const { name, colour, visualised, userset, order } = value;
  return { name, colour, isVisible: visualised, isOwn: userset, order } as Type;
}

/** Fields that this version does not know are ignored. */
function toPatch([path, value]: WireChange): readonly ListPatch[] {
  const [kind = '', id = '', field] = path;
  if (kind === 'name') return typeof value === 'string' ? [['name', value]] : [];
  if (kind === 'links') return [[`links/${id}`, Array.isArray(value) ? value.map(String) : []]];
  if (field === undefined) return [[`${kind}/${id}`, kind === 'items' ? toItem(value) : toType(value)]];
  const name = (kind === 'items' ? ITEM_FIELD_BY_WIRE_NAME : TYPE_FIELD_BY_WIRE_NAME)[field];
  return name === undefined ? [] : [[`${kind}/${id}/${name}`, value as LeafChange[1]]];
}

/** Applies the server's `[path, value]` changes in order. */
export function applyWireChanges(list: List, changes: readonly WireChange[]): List {
  return applyPatches(list, changes.flatMap(toPatch));
}

/** Converts a tree to its list. */
export function parseTree(tree: ReturnType<typeof toTree>): List {
  return applyWireChanges({ name: tree.name, items: new Map(), types: new Map(), links: new Map() }, [
    ...Object.entries(tree.items).map(([id, item]): WireChange => [['items', id], item]),
    ...Object.entries(tree.types).map(([id, type]): WireChange => [['types', id], type]),
    ...Object.entries(tree.links).map(([id, types]): WireChange => [['links', id], types]),
  ]);
}

function toWireChange([path, value]: LeafChange, list: List): WireChange {
  const [kind = '', id = '', field] = path.split('/');
  if (kind === 'links') return [['links', id], [...(list.links.get(id) ?? [])]];
  if (kind === 'name' || field === undefined) return [path.split('/'), value === undefined ? REMOVED : value];
  return [
    [kind, id, getWireName(kind === 'items' ? ITEM_FIELD_BY_WIRE_NAME : TYPE_FIELD_BY_WIRE_NAME, field)],
    value as Json,
  ];
}

/** Returns the whole thing if the change creates it. */
function toWholeThing([path, value]: LeafChange, list: List): Json | undefined {
  const [kind, id = '', field] = path.split('/');
  if (value !== true || field !== undefined) return undefined;
  const [item, type] = [list.items.get(id), list.types.get(id)];
  if (kind === 'items') return item && toWireItem(item);
  return type && toWireType(type);
}

/** Fields and links of a removed thing are not sent: removing it removes them. */
function isNeeded([path, value]: LeafChange, list: List): boolean {
  const [kind, id = '', field] = path.split('/');
  return kind === 'links' ? list.items.has(id) : value !== undefined || field === undefined;
}

/** Converts changes of leaves to `[path, value]`. `list`: the list after them. A new thing is sent once, as a whole. */
export function toWireChanges(changes: readonly LeafChange[], list: List): readonly WireChange[] {
  const newThings = new Map<string, Json>();
  for (const change of changes) {
    const thing = toWholeThing(change, list);
    if (thing !== undefined) newThings.set(change[0], thing);
  }
  const wireChangeByPath = new Map<string, WireChange>();
  for (const change of changes) {
    if (!isNeeded(change, list)) continue;
    const [kind = '', id = ''] = change[0].split('/');
    const thing = newThings.get(`${kind}/${id}`);
    const wireChange: WireChange = thing === undefined ? toWireChange(change, list) : [[kind, id], thing];
    wireChangeByPath.set(wireChange[0].join('/'), wireChange);
  }
  // Things before the links to them.
  return [...wireChangeByPath.values()].toSorted(([a], [b]) => Number(a[0] === 'links') - Number(b[0] === 'links'));
}

/**
 * Builds the answer for a plain client: each `new…` thing is removed and sent again with its server id and links,
 * and changes that lost a conflict are replaced by current values. `list` is the list after the batch.
 */
export function toWireAnswer(
  { ids, corrections }: Pick<MergeResult, 'ids' | 'corrections'>,
  list: List,
): readonly WireChange[] {
  const things = [...ids].flatMap(([sent, id]): readonly WireChange[] => {
    const [item, type] = [list.items.get(id), list.types.get(id)];
    if (item) return [createRemoval('items', sent), [['items', id], toWireItem(item)]];
    if (type) return [createRemoval('types', sent), [['types', id], toWireType(type)]];
    return [createRemoval('items', sent), createRemoval('types', sent)];
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
const createRemoval = (kind: string, id: string): WireChange => [[kind, id], REMOVED];
