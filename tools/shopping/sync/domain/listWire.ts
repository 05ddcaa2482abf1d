import type { Item, ItemField, List, Type, TypeField } from '../../lists/domain/list.ts';
import { copyOf, withLinks, withoutItem, withoutType, type ListDraft } from './applyChanges.ts';
import type { LeafChange, Outcome } from './engine.ts';

// Plain values, and no shapes: the rules and whatever a page loads may have them without the calls.

/** Marks what is taken away, where a value would stand. */
export const REMOVED = '_REMOVE';

/** The tree of a list as the wire has it (specification 1, section 3), and changes of it. Names of the wire stand here and in the contract alone. */
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

/** A whole list. */
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

const itemOf = (value: Json): Item | undefined => {
  if (!isRecord(value)) return undefined;
  const { name, emoji, defaultquantity, actualquantity, state } = value;
  // The server's own words: it says all fields of a thing.
  return { name, emoji, desired: defaultquantity, actual: actualquantity, state } as Item;
};
const typeOf = (value: Json): Type | undefined => {
  if (!isRecord(value)) return undefined;
  const { name, colour, visualised, userset, order } = value;
  return { name, colour, isVisible: visualised, isOwn: userset, order } as Type;
};

const setThing = (draft: ListDraft, kind: string, id: string, value: Json): void => {
  if (kind === 'items') {
    const item = itemOf(value);
    if (item) draft.items.set(id, item);
    else withoutItem(draft, id);
  } else {
    const type = typeOf(value);
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

/** A list with what the server told: `[path, value]` one after the other. */
export function applyWireChanges(list: List, changes: readonly WireChange[]): List {
  if (changes.length === 0) return list;
  const draft = copyOf(list);
  for (const change of changes) setOne(draft, change);
  return draft;
}

/** A list from its tree. */
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

/** A thing that came, whole. */
const wholeOf = ([path, value]: LeafChange, list: List): Json | undefined => {
  const [kind, id = '', more] = path.split('/');
  if (value !== true || more !== undefined) return undefined;
  const [item, type] = [list.items.get(id), list.types.get(id)];
  if (kind === 'items') return item && itemOnWire(item);
  return type && typeOnWire(type);
};

/** What goes with its thing needs no word of its own. */
const isNeeded = ([path, value]: LeafChange, list: List): boolean => {
  const [kind, id = '', more] = path.split('/');
  return kind === 'links' ? list.items.has(id) : value !== undefined || more === undefined;
};

/** Changes of the engine as `[path, value]`, against the list as it is afterwards: a thing that came is told whole, once. */
export function changesOnWire(changes: readonly LeafChange[], list: List): readonly WireChange[] {
  const whole = new Map<string, Json>();
  for (const change of changes) {
    const its = wholeOf(change, list);
    if (its !== undefined) whole.set(change[0], its);
  }
  const told = new Map<string, WireChange>();
  for (const change of changes.filter((each) => isNeeded(each, list))) {
    const [kind = '', id = ''] = change[0].split('/');
    const thing = whole.get(`${kind}/${id}`);
    const wire: WireChange = thing === undefined ? leafOnWire(change, list) : [[kind, id], thing];
    told.set(wire[0].join('/'), wire);
  }
  // Things before what links them.
  return [...told.values()].toSorted(([one], [other]) => Number(one[0] === 'links') - Number(other[0] === 'links'));
}

/**
 * What a plain client is answered, so that it ends right: each of its `new…` things goes and comes again under its own id, with its links;
 * and what stands in place of changes that came too late. `list` is the list afterwards.
 */
export function answerOnWire(
  { ids, corrections }: Pick<Outcome, 'ids' | 'corrections'>,
  list: List,
): readonly WireChange[] {
  const things = [...ids].flatMap(([sent, id]): readonly WireChange[] => {
    const [item, type] = [list.items.get(id), list.types.get(id)];
    if (item) return [goes('items', sent), [['items', id], itemOnWire(item)]];
    if (type) return [goes('types', sent), [['types', id], typeOnWire(type)]];
    return [goes('items', sent), goes('types', sent)];
  });
  const given = new Set(ids.values());
  const links = [...list.links].filter(
    ([item, types]) => given.has(item) || [...types].some((type) => given.has(type)),
  );
  return [
    ...things,
    ...changesOnWire(corrections, list),
    ...links.map(([item, types]): WireChange => [['links', item], [...types]]),
  ];
}
const goes = (kind: string, id: string): WireChange => [[kind, id], REMOVED];
