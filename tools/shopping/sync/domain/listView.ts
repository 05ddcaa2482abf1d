import { UNSORTED_ID, type Item, type List, type Type } from '../../lists/domain/list.ts';
import type { LeafValue, ListState } from './engine.ts';

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
export const listOf = (state: ListState): List => {
  const before = known.get(state);
  if (before) return before;
  const list = listFrom(state);
  known.set(state, list);
  return list;
};
