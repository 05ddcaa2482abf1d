import { NEW_TYPE, TYPE_FIELDS, UNSORTED, UNSORTED_ID, type List } from '../../lists/domain/list.ts';
import { createListDraft, type LeafPath, type LeafValue } from './listReducer.ts';

/** One leaf of a list. Removed things keep their leaves, so that a later edit can restore them. */
export interface Leaf {
  readonly value: LeafValue;
  /** Revision of the list at which the leaf got this value. */
  readonly revision: number;
  /** When the change was made, in epoch milliseconds of the server's clock; never later than its arrival. */
  readonly time: number;
  /** Client that wrote it last by `time`; '' for a plain client. */
  readonly client: string;
}

export interface ListState {
  readonly revision: number;
  readonly leaves: ReadonlyMap<LeafPath, Leaf>;
  /** Id for the next new thing. */
  readonly nextId: number;
  /** Server ids by `client/new…`. */
  readonly ids: ReadonlyMap<string, string>;
}

const createBuiltInLeaf = (value: LeafValue): Leaf => ({ value, revision: 0, time: 0, client: '' });

/** Creates a list with a name and the built-in type. Its leaves have time 0, so offline changes of the creator win. */
export function emptyList(name: string): ListState {
  const unsorted = { ...NEW_TYPE, name: UNSORTED };
  return {
    revision: 1,
    nextId: Number(UNSORTED_ID) + 1,
    ids: new Map(),
    leaves: new Map([
      ['name', createBuiltInLeaf(name)],
      [`types/${UNSORTED_ID}`, createBuiltInLeaf(true)],
      ...TYPE_FIELDS.map((field) => [`types/${UNSORTED_ID}/${field}`, createBuiltInLeaf(unsorted[field])] as const),
    ]),
  };
}

const EMPTY: List = { name: '', items: new Map(), types: new Map(), links: new Map() };
const isThing = (path: LeafPath): boolean => /^(items|types)\/\d+$/.test(path);
const parseThingId = (path: LeafPath): number => Number(path.slice(path.indexOf('/') + 1));

const computeList = ({ leaves }: ListState): List => {
  const { list, patch } = createListDraft(EMPTY);
  const things = [...leaves].filter(([path, { value }]) => value === true && isThing(path)).map(([path]) => path);
  // In the order of creation.
  for (const path of things.toSorted((one, other) => parseThingId(one) - parseThingId(other))) patch([path, true]);
  for (const [path, { value }] of leaves) {
    const [kind, one = '', two] = path.split('/');
    const isVisible =
      kind === 'links' ? value === true && list.items.has(one) && list.types.has(two ?? '') : !isThing(path);
    if (isVisible) patch([path, value]);
  }
  return list;
};

/** States are immutable, so each list is computed once. */
const listCache = new WeakMap<ListState, List>();

/** Returns the list as all members see it. */
export function listOf(state: ListState): List {
  const cached = listCache.get(state);
  if (cached) return cached;
  const list = computeList(state);
  listCache.set(state, list);
  return list;
}
