import { Refusal } from '#platform/contract/refusal.ts';
import {
  ITEM_FIELDS,
  LIMITS,
  NEW_ITEM,
  NEW_TYPE,
  TYPE_FIELDS,
  UNSORTED,
  UNSORTED_ID,
  isNewId,
  type Change,
} from '../../lists/domain/list.ts';
import { addToAmount, type LeafChange, type LeafPath, type LeafValue } from './listReducer.ts';
import type { Leaf, ListState } from './listState.ts';

/** The map below a layered map, and the writes on top of it. */
interface Layers<Key, Value> {
  readonly under: ReadonlyMap<Key, Value>;
  readonly over: ReadonlyMap<Key, Value>;
}

/** Large maps are copied once per this many writes, not for each write. */
const WRITES_PER_COPY = 64;
const MIN_LAYERED_SIZE = 4 * WRITES_PER_COPY;

const layersByMap = new WeakMap<ReadonlyMap<unknown, unknown>, Layers<unknown, unknown>>();

const createLayeredMap = <Key, Value>({ under, over }: Layers<Key, Value>): ReadonlyMap<Key, Value> => {
  let size = under.size;
  for (const key of over.keys()) if (!under.has(key)) size += 1;
  const get = (key: Key): Value | undefined => over.get(key) ?? under.get(key);
  const entries = function* (): MapIterator<[Key, Value]> {
    for (const [key, value] of under) yield [key, over.get(key) ?? value];
    for (const [key, value] of over) if (!under.has(key)) yield [key, value];
    return undefined;
  };
  const keys = function* (): MapIterator<Key> {
    for (const [key] of entries()) yield key;
    return undefined;
  };
  const values = function* (): MapIterator<Value> {
    for (const [, value] of entries()) yield value;
    return undefined;
  };
  const map: ReadonlyMap<Key, Value> = {
    size,
    get,
    has: (key) => over.has(key) || under.has(key),
    entries,
    keys,
    values,
    forEach: (then) => {
      for (const [key, value] of entries()) then(value, key, map);
    },
    [Symbol.iterator]: entries,
  };
  layersByMap.set(map, { under, over });
  return map;
};

/**
 * Returns the map with these writes, in the order of `new Map([...before, ...writes])`; `before` is not changed.
 * Large maps are not copied for each write. Values are never undefined.
 */
export function withWrites<Key, Value extends {}>(
  before: ReadonlyMap<Key, Value>,
  writes: ReadonlyMap<Key, Value>,
): ReadonlyMap<Key, Value> {
  if (writes.size === 0) return before;
  // Layers of a layered map are flattened to one: it has the same keys and values.
  const { under, over } = (layersByMap.get(before) as Layers<Key, Value> | undefined) ?? {
    under: before,
    over: new Map(),
  };
  if (under.size >= MIN_LAYERED_SIZE && over.size + writes.size <= WRITES_PER_COPY)
    return createLayeredMap({ under, over: new Map([...over, ...writes]) });
  const copy = new Map(before);
  for (const [key, value] of writes) copy.set(key, value);
  return copy;
}

/** A batch that was read from the wire and validated; ids are as the client sent them. */
export interface Batch {
  /** Client to which the `new…` ids belong; the account, for a plain client. */
  readonly client: string;
  /** Revision that the client knew; undefined for a plain client, whose changes are ordered only by time. */
  readonly base: number | undefined;
  readonly changes: readonly TimedChange[];
}
export interface TimedChange {
  readonly change: Change;
  /** When it was made, in epoch milliseconds of the server's clock. */
  readonly time: number;
}

export interface Outcome {
  /** The list after the batch: at the next revision if anything was written, otherwise unchanged. */
  readonly state: ListState;
  /** Leaves to store. */
  readonly writes: ReadonlyMap<LeafPath, Leaf>;
  /** For all members: what is different in the visible list. */
  readonly changes: readonly LeafChange[];
  /** For the sender only: current values in place of changes that lost a conflict. */
  readonly corrections: readonly LeafChange[];
  /** Server ids of this batch's `new…` ids, including those that were known before. */
  readonly ids: ReadonlyMap<string, string>;
}

type ThingKind = 'items' | 'types';
const FIELDS = { items: ITEM_FIELDS, types: TYPE_FIELDS } as const;
const FRESH = { items: NEW_ITEM, types: NEW_TYPE } as const;
const thingPath = (thing: ThingKind, id: string): LeafPath => `${thing}/${id}`;
const linkPath = (item: string, type: string): LeafPath => `links/${item}/${type}`;

/** Author and time of a change. */
interface ChangeAuthor {
  /** '' for a plain client. */
  readonly writer: string;
  readonly base: number | undefined;
  readonly time: number;
}

const hasSeen = (leaf: Leaf, { base, writer }: ChangeAuthor): boolean =>
  base !== undefined && (base >= leaf.revision || (writer !== '' && leaf.client === writer));

const wins = (leaf: Leaf | undefined, author: ChangeAuthor): boolean =>
  leaf === undefined || hasSeen(leaf, author) || author.time >= leaf.time;

const same = (one: LeafValue | undefined, other: LeafValue | undefined): boolean =>
  one === other || (Array.isArray(one) && Array.isArray(other) && one.every((value, at) => value === other[at]));

/** Counts the existing things of a kind. */
const countThings = ({ leaves }: ListState, thing: ThingKind): number => {
  const before = `${thing}/`;
  let size = 0;
  for (const [path, { value }] of leaves)
    if (value === true && path.startsWith(before) && !path.includes('/', before.length)) size += 1;
  return size;
};

/** Collects the writes of a batch over an unchanged state. */
const createStateDraft = (state: ListState, { client }: Batch) => {
  const revision = state.revision + 1;
  const writes = new Map<LeafPath, Leaf>();
  const assignedIds = new Map<string, string>();
  const counts: Readonly<Record<ThingKind, number>> = { items: LIMITS.items, types: LIMITS.types };
  /** Difference of the number of things. */
  const grown = { items: 0, types: 0 };
  /** Computed only when a batch creates something; most batches don't. */
  const sizes: { items?: number; types?: number } = {};
  let nextId = state.nextId;
  let hasNewThings = false;
  const get = (path: LeafPath): Leaf | undefined => writes.get(path) ?? state.leaves.get(path);
  const grow = (thing: ThingKind): void => {
    grown[thing] += 1;
    const before = (sizes[thing] ??= countThings(state, thing));
    if (before + grown[thing] > counts[thing])
      throw new Refusal(
        'shopping.list_full',
        `A list can have at most ${counts[thing].toLocaleString('en')} ${thing}. Delete some`,
      );
  };
  return {
    get,
    write: (path: LeafPath, value: LeafValue, { writer, time }: ChangeAuthor): void => {
      const before = get(path);
      // The same value again and no later: nothing changes.
      if (before !== undefined && before.time >= time && same(before.value, value)) return;
      writes.set(path, { value, revision, time: Math.max(time, get(path)?.time ?? time), client: writer });
    },
    isThere: (thing: ThingKind, id: string): boolean => get(thingPath(thing, id))?.value === true,
    grow,
    shrink: (thing: ThingKind): void => void (grown[thing] -= 1),
    /** Server id of an id; undefined for a `new…` id that is not assigned yet. */
    known: (id: string): string | undefined => {
      if (!isNewId(id)) return id;
      const serverId = assignedIds.get(id) ?? state.ids.get(`${client}/${id}`);
      if (serverId !== undefined) assignedIds.set(id, serverId);
      return serverId;
    },
    give: (id: string): string => {
      const serverId = String(nextId);
      nextId += 1;
      hasNewThings = true;
      assignedIds.set(id, serverId);
      return serverId;
    },
    /** Types to which an item is linked. */
    linked: (item: string): readonly string[] => {
      const before = `links/${item}/`;
      const paths = new Set([...state.leaves.keys(), ...writes.keys()].filter((path) => path.startsWith(before)));
      return [...paths].filter((path) => get(path)?.value === true).map((path) => path.slice(before.length));
    },
    writes,
    given: assignedIds,
    done: (): ListState => {
      if (writes.size === 0 && !hasNewThings) return state;
      const newIds = new Map([...assignedIds].map(([sent, serverId]) => [`${client}/${sent}`, serverId]));
      return { revision, nextId, ids: withWrites(state.ids, newIds), leaves: withWrites(state.leaves, writes) };
    },
  };
};
type StateDraft = ReturnType<typeof createStateDraft>;

/** Context in which one change is applied. */
interface ChangeContext extends ChangeAuthor {
  readonly draft: StateDraft;
  /** Reports that a change lost, so that the sender gets the current value. The path of a thing includes its fields. */
  readonly correct: (path: LeafPath) => void;
}

/** Returns the id of a thing and creates it if it is new. Returns undefined, with a correction, if it was removed. */
const resolveThing = (context: ChangeContext, thing: ThingKind, sentId: string): string | undefined => {
  const { draft, time, correct } = context;
  const known = draft.known(sentId);
  if (known === undefined) {
    const id = draft.give(sentId);
    draft.grow(thing);
    draft.write(thingPath(thing, id), true, context);
    const fresh: Readonly<Record<string, LeafValue>> = { ...FRESH[thing] };
    for (const field of FIELDS[thing]) draft.write(`${thing}/${id}/${field}`, fresh[field] ?? '', context);
    return id;
  }
  const path = thingPath(thing, known);
  const existence = draft.get(path);
  if (existence?.value === true) return known;
  if (existence === undefined || hasSeen(existence, context) || time <= existence.time) {
    correct(path);
    return undefined;
  }
  draft.grow(thing);
  draft.write(path, true, context);
  return known;
};

const set = (context: ChangeContext, path: LeafPath, value: LeafValue): void => {
  if (wins(context.draft.get(path), context)) context.draft.write(path, value, context);
  else context.correct(path);
};

const setField = (
  context: ChangeContext,
  { kind, id: sentId, field, value }: Extract<Change, { kind: 'item' | 'type' }>,
): void => {
  const thing = `${kind}s` as const;
  const id = resolveThing(context, thing, sentId);
  if (id !== undefined) set(context, `${thing}/${id}/${field}`, value);
};

const count = (context: ChangeContext, sentId: string, by: number): void => {
  const { draft, writer } = context;
  const id = resolveThing(context, 'items', sentId);
  if (id === undefined) return;
  const path = `items/${id}/actual`;
  const leaf = draft.get(path);
  const value = addToAmount(Number(leaf?.value ?? 0), by);
  // A difference adds to values its sender has not seen.
  // The newest author remains the one that later values compete with.
  draft.write(path, value, { ...context, writer: leaf === undefined || wins(leaf, context) ? writer : leaf.client });
};

const remove = (context: ChangeContext, thing: ThingKind, sentId: string): void => {
  const { draft, correct } = context;
  const id = draft.known(sentId);
  if (id === undefined || !draft.isThere(thing, id)) return;
  if (thing === 'types' && id === UNSORTED_ID)
    throw new Refusal('shopping.type_built_in', `'${UNSORTED}' is a built-in type and can't be deleted`);
  const path = thingPath(thing, id);
  const leaves = [path, ...FIELDS[thing].map((field) => `${path}/${field}`)].map((each) => draft.get(each));
  if (!leaves.every((leaf) => wins(leaf, context))) return correct(path);
  draft.shrink(thing);
  draft.write(path, false, context);
};

const link = (context: ChangeContext, item: string, type: string, isLinked: boolean): void => {
  const { draft, correct } = context;
  const path = linkPath(item, type);
  if (!draft.isThere('items', item)) return correct(thingPath('items', item));
  if (!draft.isThere('types', type)) return correct(thingPath('types', type));
  if (isLinked || draft.get(path) !== undefined) set(context, path, isLinked);
};

const linkOne = (context: ChangeContext, sent: Extract<Change, { kind: 'link' }>): void => {
  const [item, type] = [context.draft.known(sent.item), context.draft.known(sent.type)];
  if (item !== undefined && type !== undefined) link(context, item, type, sent.isLinked);
};

/** Applies a complete list of links. It removes only links that its sender knew. */
const linkAll = (context: ChangeContext, sent: Extract<Change, { kind: 'links' }>): void => {
  const { draft, base, time } = context;
  const item = draft.known(sent.item);
  if (item === undefined) return;
  const types = new Set(sent.types.flatMap((type) => draft.known(type) ?? []));
  // Links that exist already are repeated in the list, not new.
  const linked = new Set(draft.isThere('items', item) ? draft.linked(item) : []);
  for (const type of types) if (!linked.has(type) || !draft.isThere('types', type)) link(context, item, type, true);
  for (const type of linked) {
    const leaf = draft.get(linkPath(item, type));
    const knew = leaf && (base === undefined ? time >= leaf.time : hasSeen(leaf, context));
    if (knew === true && !types.has(type)) link(context, item, type, false);
  }
};

const applyOne = (context: ChangeContext, change: Change): void => {
  switch (change.kind) {
    case 'rename':
      return set(context, 'name', change.name);
    case 'item':
    case 'type':
      return setField(context, change);
    case 'count':
      return count(context, change.id, change.by);
    case 'remove':
      return remove(context, `${change.thing}s`, change.id);
    case 'link':
      return linkOne(context, change);
    case 'links':
      return linkAll(context, change);
  }
};

/** Returns what members see at a path: a field or a link is visible only if its things exist. */
const getVisible = (state: ListState, path: LeafPath): LeafValue | undefined => {
  const [kind = '', one = '', two] = path.split('/');
  const isThere = (thing: string, id: string): boolean => state.leaves.get(`${thing}/${id}`)?.value === true;
  if (kind === 'links') {
    if (two === undefined || !isThere('items', one) || !isThere('types', two)) return undefined;
    return state.leaves.get(path)?.value === true || undefined;
  }
  if (kind !== 'name' && !isThere(kind, one)) return undefined;
  return state.leaves.get(path)?.value;
};

/** Returns the path; for the path of an existing thing also its fields and links. */
const unfold = (state: ListState, path: LeafPath): readonly LeafPath[] => {
  const [kind, id, more] = path.split('/');
  if (more !== undefined || id === undefined || state.leaves.get(path)?.value !== true) return [path];
  const fields = FIELDS[kind === 'items' ? 'items' : 'types'].map((field) => `${path}/${field}`);
  const links = [...state.leaves.keys()].filter(
    (each) => each.startsWith('links/') && each.split('/')[kind === 'items' ? 1 : 2] === id,
  );
  return [path, ...fields, ...links];
};

const toLeafChanges = (state: ListState, paths: Iterable<LeafPath>): readonly LeafChange[] => {
  const all = new Set([...paths].flatMap((path) => unfold(state, path)));
  return [...all].map((path) => [path, getVisible(state, path)]);
};

/**
 * Applies a batch, change by change. A change that lost a conflict is corrected; the rest of the batch is applied.
 * @throws Refusal if the list would become too large or the built-in type would be removed; then nothing is changed.
 */
export function mergeBatch(state: ListState, batch: Batch): Outcome {
  const draft = createStateDraft(state, batch);
  const late = new Set<LeafPath>();
  for (const { change, time } of batch.changes) {
    const writer = batch.base === undefined ? '' : batch.client;
    applyOne({ draft, writer, base: batch.base, time, correct: (path) => void late.add(path) }, change);
  }
  const next = draft.done();
  const changes = toLeafChanges(next, draft.writes.keys()).filter(
    ([path, value]) => !same(value, getVisible(state, path)),
  );
  return { state: next, writes: draft.writes, changes, corrections: toLeafChanges(next, late), ids: draft.given };
}
