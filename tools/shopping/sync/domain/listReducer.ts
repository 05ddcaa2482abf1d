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

/** First part of a thing's path: the map that contains it. */
export type ThingCollection = 'items' | 'types';

/** Splits a path into its kind, its id, and its field (or the type of a link). Faster than `split`. */
export function splitPath(path: LeafPath): readonly [kind: string, id: string, field: string | undefined] {
  const idStart = path.indexOf('/') + 1;
  if (idStart === 0) return [path, '', undefined];
  const kind = path.slice(0, idStart - 1);
  const idEnd = path.indexOf('/', idStart);
  if (idEnd === -1) return [kind, path.slice(idStart), undefined];
  return [kind, path.slice(idStart, idEnd), path.slice(idEnd + 1)];
}

/** Returns an amount after a difference, within the limits. */
export function addToAmount(amount: number, by: number): number {
  return Math.min(LIMITS.quantity, Math.max(0, amount + by));
}

/** A mutable copy of a list. Its maps are copied once for all changes. */
export interface ListDraft {
  /** The list after all changes so far. */
  readonly list: List;
  readonly patch: (patch: ListPatch) => void;
  /** Applies an own change, which is visible before the server has confirmed it. */
  readonly change: (change: Change) => void;
}

/** Creates a draft: the one reducer of visible lists, for own changes, events and the server's batches. */
export function createListDraft(before: List): ListDraft {
  const items = new Map(before.items);
  const types = new Map(before.types);
  const links = new Map(before.links);
  const list = { name: before.name, items, types, links };
  const getThings = (kind: string): Map<string, Item | Type> => (kind === 'items' ? items : types);

  /** An item without links has no entry. */
  function setLinks(item: string, linkedTypes: ReadonlySet<string>): void {
    if (linkedTypes.size > 0) links.set(item, linkedTypes);
    else links.delete(item);
  }
  function setLink(item: string, type: string, isLinked: boolean): void {
    const linkedTypes = new Set(links.get(item));
    if (isLinked) linkedTypes.add(type);
    else linkedTypes.delete(type);
    setLinks(item, linkedTypes);
  }

  /** Removes a thing with its links; the built-in type stays. */
  function removeThing(kind: string, id: string): void {
    if (kind === 'items') {
      items.delete(id);
      links.delete(id);
    } else if (id !== UNSORTED_ID) {
      types.delete(id);
      for (const [item, linkedTypes] of links) if (linkedTypes.has(id)) setLink(item, id, false);
    }
  }
  function setThing(kind: string, id: string, value: ListPatch[1]): void {
    const things = getThings(kind);
    if (value === undefined) removeThing(kind, id);
    else if (typeof value === 'object') things.set(id, value as Item | Type);
    // A new thing is followed by its fields.
    else if (!things.has(id)) things.set(id, kind === 'items' ? NEW_ITEM : { ...NEW_TYPE, isOwn: id !== UNSORTED_ID });
  }
  function setField(kind: string, [id, field]: readonly [string, string], value: ListPatch[1]): void {
    const thing = getThings(kind).get(id);
    // The value was validated where the change was made or read.
    if (thing && value !== undefined) getThings(kind).set(id, { ...thing, [field]: value });
  }

  function patch([path, value]: ListPatch): void {
    const [kind, id, field] = splitPath(path);
    if (kind === 'name') list.name = value as string;
    else if (kind === 'links' && field === undefined) setLinks(id, new Set(value as readonly string[]));
    else if (kind === 'links') setLink(id, field ?? '', value === true);
    else if (field === undefined) setThing(kind, id, value);
    else setField(kind, [id, field], value);
  }

  /** Creates the thing if its id is new. Other things that do not exist are ignored. */
  function setOwnField(kind: ThingCollection, [id, field]: readonly [string, string], value: LeafValue): void {
    if (!getThings(kind).has(id) && isNewId(id)) setThing(kind, id, true);
    setField(kind, [id, field], value);
  }
  function applyOwnChange(change: Change): void {
    switch (change.kind) {
      case 'rename':
        list.name = change.name;
        return;
      case 'item':
      case 'type':
        return setOwnField(`${change.kind}s`, [change.id, change.field], change.value);
      case 'count': {
        const { actual } = items.get(change.id) ?? NEW_ITEM;
        return setOwnField('items', [change.id, 'actual'], addToAmount(actual, change.by));
      }
      case 'link':
        if (items.has(change.item) && types.has(change.type)) setLink(change.item, change.type, change.isLinked);
        return;
      case 'links':
        if (items.has(change.item)) setLinks(change.item, new Set(change.types.filter((type) => types.has(type))));
        return;
      case 'remove':
        return removeThing(`${change.thing}s`, change.id);
    }
  }
  return { list, patch, change: applyOwnChange };
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
