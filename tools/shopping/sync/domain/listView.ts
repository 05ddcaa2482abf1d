import { UNSORTED_ID, type Item, type List, type Type, NEW_ITEM, NEW_TYPE } from '../../lists/domain/list.ts';
import { copyOf, withLinks, withoutItem, withoutType, type ListDraft } from './applyChanges.ts';
import type { LeafValue, ListState, LeafChange } from './engine.ts';

const setThing = (draft: ListDraft, kind: string, id: string, value: LeafValue | undefined): void => {
  // One that came is told with all of its fields; one that goes takes its links along.
  if (kind === 'items') {
    if (value === undefined) withoutItem(draft, id);
    else if (!draft.items.has(id)) draft.items.set(id, NEW_ITEM);
  } else if (value === undefined) withoutType(draft, id);
  else if (!draft.types.has(id)) draft.types.set(id, NEW_TYPE);
};

const setField = (draft: ListDraft, [kind, id = '', field = '']: readonly string[], value: LeafValue): void => {
  // The engine's fields have the engine's values.
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
 * What everyone sees after a batch, from what they saw before it and the batch's `changes`: what `listOf` gives of the state afterwards,
 * without reading the whole of it.
 */
export function listAfter(list: List, changes: readonly LeafChange[]): List {
  if (changes.length === 0) return list;
  const draft = copyOf(list);
  // Things first: their fields and links may be told before them.
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
  /** Ids of what is there, removed things left out. */
  readonly there: Readonly<Record<'items' | 'types', number[]>>;
  readonly fields: Readonly<Record<'items' | 'types', Things>>;
  readonly links: (readonly [string, string])[];
}

/** Paths of things have one '/', those of their fields and of links two. */
const sort = ({ leaves }: ListState): SortedLeaves => {
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
    const its = sorted.fields[kind].get(id);
    if (its) its[more] = value;
    else sorted.fields[kind].set(id, { [more]: value });
  }
  return sorted;
};

/** The things of one kind, in the order in which they were made. */
const thingsIn = ({ there, fields }: SortedLeaves, kind: 'items' | 'types'): Things =>
  new Map(
    there[kind]
      .toSorted((one, other) => one - other)
      .map((number) => [String(number), fields[kind].get(String(number)) ?? {}]),
  );

const listFrom = (state: ListState): List => {
  const sorted = sort(state);
  const [items, types] = [thingsIn(sorted, 'items'), thingsIn(sorted, 'types')];
  const links = new Map<string, Set<string>>();
  for (const [item, type] of sorted.links) {
    if (!items.has(item) || !types.has(type)) continue;
    const linked = links.get(item);
    if (linked) linked.add(type);
    else links.set(item, new Set([type]));
  }
  for (const [id, its] of types) its['isOwn'] = id !== UNSORTED_ID;
  return {
    name: String(state.leaves.get('name')?.value ?? ''),
    // The engine writes all fields of a thing as it makes it.
    items: items as unknown as ReadonlyMap<string, Item>,
    types: types as unknown as ReadonlyMap<string, Type>,
    links,
  };
};

/** A state never changes, so its list is made once. */
const known = new WeakMap<ListState, List>();

/** What everyone sees of a list. */
export function listOf(state: ListState): List {
  const before = known.get(state);
  if (before) return before;
  const list = listFrom(state);
  known.set(state, list);
  return list;
}
