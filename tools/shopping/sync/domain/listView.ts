import { UNSORTED_ID, type Item, type List, type Type, NEW_ITEM, NEW_TYPE } from '../../lists/domain/list.ts';
import { copyOf, withLinks, withoutItem, withoutType, type ListDraft } from './applyChanges.ts';
import type { LeafValue, ListState, LeafChange } from './engine.ts';

const setThing = (draft: ListDraft, kind: string, id: string, value: LeafValue | undefined): void => {
  // A new thing is followed by all of its fields; a removed one loses its links.
  if (kind === 'items') {
    if (value === undefined) withoutItem(draft, id);
    else if (!draft.items.has(id)) draft.items.set(id, NEW_ITEM);
  } else if (value === undefined) withoutType(draft, id);
  else if (!draft.types.has(id)) draft.types.set(id, NEW_TYPE);
};

const setField = (draft: ListDraft, [kind, id = '', field = '']: readonly string[], value: LeafValue): void => {
  // The engine wrote these fields, so their values are valid.
  const [item, type] = [draft.items.get(id), draft.types.get(id)];
  if (kind === 'items' && item) draft.items.set(id, { ...item, [field]: value });
  if (kind === 'types' && type) draft.types.set(id, { ...type, [field]: value });
};

const setLink = (draft: ListDraft, [, item = '', type = '']: readonly string[], isLinked: boolean): void => {
  const linked = new Set(draft.links.get(item));
  if (isLinked) linked.add(type);
  else linked.delete(type);
  withLinks(draft, item, linked);
};

/**
 * Applies a batch's `changes` to the visible list.
 * The result equals `listOf` of the new state, without reading all leaves.
 */
export function listAfter(list: List, changes: readonly LeafChange[]): List {
  if (changes.length === 0) return list;
  const draft = copyOf(list);
  // Things first: their fields and links may come before them in `changes`.
  for (const [path, value] of changes) {
    const [kind = '', id = '', more] = path.split('/');
    if (kind === 'name') draft.name = String(value);
    else if (more === undefined) setThing(draft, kind, id, value);
  }
  for (const [path, value] of changes) {
    const parts = path.split('/');
    if (parts.length < 3) continue;
    if (parts[0] === 'links') setLink(draft, parts, value === true);
    else if (value !== undefined) setField(draft, parts, value);
  }
  return draft;
}

type Things = Map<string, Record<string, LeafValue>>;
interface SortedLeaves {
  /** Ids of existing things. */
  readonly there: Readonly<Record<'items' | 'types', number[]>>;
  readonly fields: Readonly<Record<'items' | 'types', Things>>;
  readonly links: (readonly [string, string])[];
}

/** Sorts leaves by kind. Paths of things contain one '/', those of fields and links two. */
const sortLeaves = ({ leaves }: ListState): SortedLeaves => {
  const sorted: SortedLeaves = {
    there: { items: [], types: [] },
    fields: { items: new Map(), types: new Map() },
    links: [],
  };
  for (const [path, { value }] of leaves) {
    const first = path.indexOf('/');
    if (first === -1) continue;
    const second = path.indexOf('/', first + 1);
    const id = second === -1 ? path.slice(first + 1) : path.slice(first + 1, second);
    const more = path.slice(second + 1);
    if (path.startsWith('links/')) {
      if (value === true) sorted.links.push([id, more]);
      continue;
    }
    const kind = path.startsWith('items/') ? 'items' : 'types';
    if (second === -1) {
      if (value === true) sorted.there[kind].push(Number(id));
      continue;
    }
    const fields = sorted.fields[kind].get(id);
    if (fields) fields[more] = value;
    else sorted.fields[kind].set(id, { [more]: value });
  }
  return sorted;
};

/** Returns the things of one kind in the order of their creation. */
const collectThings = ({ there, fields }: SortedLeaves, kind: 'items' | 'types'): Things =>
  new Map(
    there[kind]
      .toSorted((one, other) => one - other)
      .map((number) => [String(number), fields[kind].get(String(number)) ?? {}]),
  );

const listFrom = (state: ListState): List => {
  const sorted = sortLeaves(state);
  const [items, types] = [collectThings(sorted, 'items'), collectThings(sorted, 'types')];
  const links = new Map<string, Set<string>>();
  for (const [item, type] of sorted.links) {
    if (!items.has(item) || !types.has(type)) continue;
    const linked = links.get(item);
    if (linked) linked.add(type);
    else links.set(item, new Set([type]));
  }
  for (const [id, type] of types) type['isOwn'] = id !== UNSORTED_ID;
  return {
    name: String(state.leaves.get('name')?.value ?? ''),
    // The engine writes all fields when it creates a thing.
    items: items as unknown as ReadonlyMap<string, Item>,
    types: types as unknown as ReadonlyMap<string, Type>,
    links,
  };
};

/** States are immutable, so each list is computed once. */
const listCache = new WeakMap<ListState, List>();

/** Returns the list as all members see it. */
export function listOf(state: ListState): List {
  const cached = listCache.get(state);
  if (cached) return cached;
  const list = listFrom(state);
  listCache.set(state, list);
  return list;
}
