import { NEW_TYPE, TYPE_FIELDS, UNSORTED, UNSORTED_ID, type List } from '../../lists/domain/list.ts';
import { createListDraft, splitPath, type LeafPath, type LeafValue } from './listReducer.ts';

/** One leaf of a list. The leaves of removed things remain, so that a later edit can restore them. */
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
export function createEmptyState(name: string): ListState {
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

const EMPTY_LIST: List = { name: '', items: new Map(), types: new Map(), links: new Map() };

function isThingPath(path: LeafPath): boolean {
  const [kind, , field] = splitPath(path);
  return kind !== 'name' && field === undefined;
}
/** Returns whether a link has both of its ends. The reducer itself ignores fields of missing things. */
function isVisible(list: List, path: LeafPath, value: LeafValue): boolean {
  const [kind, id, type = ''] = splitPath(path);
  return kind !== 'links' || (value === true && list.items.has(id) && list.types.has(type));
}
const getThingNumber = (path: LeafPath): number => Number(splitPath(path)[1]);

function computeList({ leaves }: ListState): List {
  const { list, patch } = createListDraft(EMPTY_LIST);
  const things: LeafPath[] = [];
  for (const [path, { value }] of leaves) if (value === true && isThingPath(path)) things.push(path);
  // In the order of creation.
  for (const path of things.toSorted((a, b) => getThingNumber(a) - getThingNumber(b))) patch([path, true]);
  for (const [path, { value }] of leaves) if (!isThingPath(path) && isVisible(list, path, value)) patch([path, value]);
  return list;
}

/** States are immutable, so each list is computed once. */
const listCache = new WeakMap<ListState, List>();

/** Returns the list as all members see it. */
export function toList(state: ListState): List {
  const cached = listCache.get(state);
  if (cached) return cached;
  const list = computeList(state);
  listCache.set(state, list);
  return list;
}
