import {
  LIMITS,
  NEW_ITEM,
  NEW_TYPE,
  UNSORTED_ID,
  isNewId,
  type Change,
  type Item,
  type List,
  type Type,
} from '../../lists/domain/list.ts';

/**
 * Path of a leaf: `name`, `items/57` (existence), `items/57/actual` or `types/3/colour` (field), `links/57/3` (link).
 */
export type LeafPath = string;
export type LeafValue = string | number | boolean | readonly [string, string];

/** A leaf as members see it; undefined if its thing was removed. */
export type LeafChange = readonly [LeafPath, LeafValue | undefined];

/** A change of a visible list: of a leaf, of a whole item or type, or of all links of an item (`links/57`). */
export type ListPatch = readonly [path: LeafPath, value: LeafChange[1] | Item | Type | readonly string[]];

type ThingKind = 'items' | 'types';

/** Splits a path into its kind, its id, and its field or the other end of a link. Faster than `split`. */
export function splitPath(path: LeafPath): readonly [kind: string, id: string, more: string | undefined] {
  const first = path.indexOf('/');
  if (first === -1) return [path, '', undefined];
  const second = path.indexOf('/', first + 1);
  if (second === -1) return [path.slice(0, first), path.slice(first + 1), undefined];
  return [path.slice(0, first), path.slice(first + 1, second), path.slice(second + 1)];
}

/** Returns an amount after a difference, within the limits. */
export function addToAmount(amount: number, by: number): number {
  return Math.min(LIMITS.quantity, Math.max(0, amount + by));
}

/** A copy of a list for changes: its maps are copied once, however many changes follow. */
export interface ListDraft {
  /** The list after all changes so far. */
  readonly list: List;
  readonly patch: (patch: ListPatch) => void;
  /** Applies an own change, which is visible before the server has confirmed it. */
  readonly change: (change: Change) => void;
}

/** Creates a draft. It is the one reducer for visible lists: of own changes, of events, and of the server's batches. */
export function createListDraft(before: List): ListDraft {
  const items = new Map(before.items);
  const types = new Map(before.types);
  const links = new Map(before.links);
  const list = { name: before.name, items, types, links };
  const getThings = (kind: string): Map<string, Item | Type> => (kind === 'items' ? items : types);

  /** An item without links has no entry. */
  const setLinks = (item: string, linked: ReadonlySet<string>): void => {
    if (linked.size > 0) links.set(item, linked);
    else links.delete(item);
  };
  const setLink = (item: string, type: string, isLinked: boolean): void => {
    const linked = new Set(links.get(item));
    if (isLinked) linked.add(type);
    else linked.delete(type);
    setLinks(item, linked);
  };

  /** Removes a thing with its links; the built-in type stays. */
  const removeThing = (kind: string, id: string): void => {
    if (kind === 'items') {
      items.delete(id);
      links.delete(id);
    } else if (id !== UNSORTED_ID) {
      types.delete(id);
      for (const [item, linked] of links) if (linked.has(id)) setLink(item, id, false);
    }
  };
  const setThing = (kind: string, id: string, value: ListPatch[1]): void => {
    const things = getThings(kind);
    if (value === undefined) removeThing(kind, id);
    else if (typeof value === 'object') things.set(id, value as Item | Type);
    // A new thing is followed by its fields.
    else if (!things.has(id)) things.set(id, kind === 'items' ? NEW_ITEM : { ...NEW_TYPE, isOwn: id !== UNSORTED_ID });
  };
  const setField = (kind: string, [id, field]: readonly [string, string], value: ListPatch[1]): void => {
    const thing = getThings(kind).get(id);
    // The value was validated where the change was made or read.
    if (thing && value !== undefined) getThings(kind).set(id, { ...thing, [field]: value });
  };

  const patch = ([path, value]: ListPatch): void => {
    const [kind, id, more] = splitPath(path);
    if (kind === 'name') list.name = value as string;
    else if (kind === 'links' && more === undefined) setLinks(id, new Set(value as readonly string[]));
    else if (kind === 'links') setLink(id, more ?? '', value === true);
    else if (more === undefined) setThing(kind, id, value);
    else setField(kind, [id, more], value);
  };

  /** A field that is set on a new id creates the thing; things that do not exist are ignored. */
  const setOwnField = (kind: ThingKind, [id, field]: readonly [string, string], value: LeafValue): void => {
    if (!getThings(kind).has(id) && isNewId(id)) setThing(kind, id, true);
    setField(kind, [id, field], value);
  };
  const change = (own: Change): void => {
    switch (own.kind) {
      case 'rename':
        list.name = own.name;
        return;
      case 'item':
      case 'type':
        return setOwnField(`${own.kind}s`, [own.id, own.field], own.value);
      case 'count': {
        const { actual } = items.get(own.id) ?? NEW_ITEM;
        return setOwnField('items', [own.id, 'actual'], addToAmount(actual, own.by));
      }
      case 'link':
        return items.has(own.item) && types.has(own.type) ? setLink(own.item, own.type, own.isLinked) : undefined;
      case 'links':
        return items.has(own.item)
          ? setLinks(own.item, new Set(own.types.filter((type) => types.has(type))))
          : undefined;
      case 'remove':
        return removeThing(`${own.thing}s`, own.id);
    }
  };
  return { list, patch, change };
}

/** Returns the list after these patches, in order. */
export function applyPatches(list: List, patches: readonly ListPatch[]): List {
  if (patches.length === 0) return list;
  const draft = createListDraft(list);
  patches.forEach(draft.patch);
  return draft.list;
}

/** Returns the list after these changes, in order. Changes of things that do not exist are ignored. */
export function applyChanges(list: List, changes: readonly Change[]): List {
  if (changes.length === 0) return list;
  const draft = createListDraft(list);
  changes.forEach(draft.change);
  return draft.list;
}
