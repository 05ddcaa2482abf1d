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
import { applyWrites } from './layeredMap.ts';
import { addToAmount, type LeafChange, type LeafPath, type LeafValue, type ThingCollection } from './listReducer.ts';
import type { Leaf, ListState } from './listState.ts';

/** A parsed and validated batch, with the ids that the client sent. */
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

export interface MergeResult {
  /** The list after the batch: at the next revision if anything was written, otherwise unchanged. */
  readonly state: ListState;
  /** Leaves to store. */
  readonly writes: ReadonlyMap<LeafPath, Leaf>;
  /** What is different in the visible list, for all members. */
  readonly changes: readonly LeafChange[];
  /** Current values in place of changes that lost a conflict, for the sender only. */
  readonly corrections: readonly LeafChange[];
  /** Server ids of this batch's `new…` ids, including those that were known before. */
  readonly ids: ReadonlyMap<string, string>;
}

const FIELDS = { items: ITEM_FIELDS, types: TYPE_FIELDS } as const;
const DEFAULTS = { items: NEW_ITEM, types: NEW_TYPE } as const;
const getThingPath = (thing: ThingCollection, id: string): LeafPath => `${thing}/${id}`;
const getLinkPath = (item: string, type: string): LeafPath => `links/${item}/${type}`;

/** Author and time of a change. */
interface ChangeAuthor {
  /** '' for a plain client. */
  readonly writer: string;
  readonly base: number | undefined;
  readonly time: number;
}

/** Returns whether the author knew the leaf's value. */
const hasSeen = (leaf: Leaf, { base, writer }: ChangeAuthor): boolean =>
  base !== undefined && (base >= leaf.revision || (writer !== '' && leaf.client === writer));

const canOverwrite = (leaf: Leaf | undefined, author: ChangeAuthor): boolean =>
  leaf === undefined || hasSeen(leaf, author) || author.time >= leaf.time;

const isSameValue = (a: LeafValue | undefined, b: LeafValue | undefined): boolean =>
  a === b || (Array.isArray(a) && Array.isArray(b) && a.every((value, index) => value === b[index]));

/** Returns the number of existing items or types. */
function countThings({ leaves }: ListState, thing: ThingCollection): number {
  const prefix = `${thing}/`;
  let count = 0;
  for (const [path, { value }] of leaves)
    if (value === true && path.startsWith(prefix) && !path.includes('/', prefix.length)) count += 1;
  return count;
}

/** Creates a draft that collects the writes of a batch. The state itself is not changed. */
function createStateDraft(state: ListState, { client }: Batch) {
  const revision = state.revision + 1;
  const writes = new Map<LeafPath, Leaf>();
  const assignedIds = new Map<string, string>();
  /** Added minus removed things. */
  const countChanges = { items: 0, types: 0 };
  /** Counted only when a batch creates something; most batches don't. */
  const initialCounts: { items?: number; types?: number } = {};
  let nextId = state.nextId;
  let hasNewThings = false;
  const get = (path: LeafPath): Leaf | undefined => writes.get(path) ?? state.leaves.get(path);
  function countAdded(thing: ThingCollection): void {
    countChanges[thing] += 1;
    const initialCount = (initialCounts[thing] ??= countThings(state, thing));
    if (initialCount + countChanges[thing] > LIMITS[thing])
      throw new Refusal(
        'shopping.list_full',
        `A list can have at most ${LIMITS[thing].toLocaleString('en')} ${thing}. Delete some`,
      );
  }
  return {
    get,
    write: (path: LeafPath, value: LeafValue, { writer, time }: ChangeAuthor): void => {
      const leaf = get(path);
      if (leaf !== undefined && leaf.time >= time && isSameValue(leaf.value, value)) return;
      writes.set(path, { value, revision, time: Math.max(time, leaf?.time ?? time), client: writer });
    },
    exists: (thing: ThingCollection, id: string): boolean => get(getThingPath(thing, id))?.value === true,
    countAdded,
    countRemoved: (thing: ThingCollection): void => void (countChanges[thing] -= 1),
    /** Returns the server id of an id; undefined for a `new…` id that has none yet. */
    findServerId: (id: string): string | undefined => {
      if (!isNewId(id)) return id;
      const serverId = assignedIds.get(id) ?? state.ids.get(`${client}/${id}`);
      if (serverId !== undefined) assignedIds.set(id, serverId);
      return serverId;
    },
    assignServerId: (id: string): string => {
      const serverId = String(nextId);
      nextId += 1;
      hasNewThings = true;
      assignedIds.set(id, serverId);
      return serverId;
    },
    /** Returns the ids of the types to which an item is linked. */
    listLinkedTypes: (item: string): readonly string[] => {
      const prefix = `links/${item}/`;
      const paths = new Set([...state.leaves.keys(), ...writes.keys()].filter((path) => path.startsWith(prefix)));
      return [...paths].filter((path) => get(path)?.value === true).map((path) => path.slice(prefix.length));
    },
    writes,
    assignedIds,
    finish: (): ListState => {
      if (writes.size === 0 && !hasNewThings) return state;
      const newIds = new Map([...assignedIds].map(([sent, serverId]) => [`${client}/${sent}`, serverId]));
      return { revision, nextId, ids: applyWrites(state.ids, newIds), leaves: applyWrites(state.leaves, writes) };
    },
  };
}
type StateDraft = ReturnType<typeof createStateDraft>;

/** Context in which one change is applied. */
interface ChangeContext extends ChangeAuthor {
  readonly draft: StateDraft;
  /** Reports a change that lost, so that its sender gets the current value. The path of a thing includes its fields. */
  readonly reportConflict: (path: LeafPath) => void;
}

/** Returns the id of a thing and creates it if it is new. Returns undefined, with a correction, if it was removed. */
function resolveThing(context: ChangeContext, thing: ThingCollection, sentId: string): string | undefined {
  const { draft, time, reportConflict } = context;
  const serverId = draft.findServerId(sentId);
  if (serverId === undefined) {
    const id = draft.assignServerId(sentId);
    draft.countAdded(thing);
    draft.write(getThingPath(thing, id), true, context);
    const defaults: Readonly<Record<string, LeafValue>> = { ...DEFAULTS[thing] };
    for (const field of FIELDS[thing]) draft.write(`${thing}/${id}/${field}`, defaults[field] ?? '', context);
    return id;
  }
  const path = getThingPath(thing, serverId);
  const existence = draft.get(path);
  if (existence?.value === true) return serverId;
  if (existence === undefined || hasSeen(existence, context) || time <= existence.time) {
    reportConflict(path);
    return undefined;
  }
  draft.countAdded(thing);
  draft.write(path, true, context);
  return serverId;
}

function setLeaf(context: ChangeContext, path: LeafPath, value: LeafValue): void {
  if (canOverwrite(context.draft.get(path), context)) context.draft.write(path, value, context);
  else context.reportConflict(path);
}

function setField(
  context: ChangeContext,
  { kind, id: sentId, field, value }: Extract<Change, { kind: 'item' | 'type' }>,
): void {
  const thing = `${kind}s` as const;
  const id = resolveThing(context, thing, sentId);
  if (id !== undefined) setLeaf(context, `${thing}/${id}/${field}`, value);
}

function changeAmount(context: ChangeContext, sentId: string, by: number): void {
  const { draft, writer } = context;
  const id = resolveThing(context, 'items', sentId);
  if (id === undefined) return;
  const path = `items/${id}/actual`;
  const leaf = draft.get(path);
  const value = addToAmount(Number(leaf?.value ?? 0), by);
  // A difference is also added to an unseen value, which then keeps its author for later conflicts.
  draft.write(path, value, {
    ...context,
    writer: leaf === undefined || canOverwrite(leaf, context) ? writer : leaf.client,
  });
}

function removeThing(context: ChangeContext, thing: ThingCollection, sentId: string): void {
  const { draft, reportConflict } = context;
  const id = draft.findServerId(sentId);
  if (id === undefined || !draft.exists(thing, id)) return;
  if (thing === 'types' && id === UNSORTED_ID)
    throw new Refusal('shopping.type_built_in', `'${UNSORTED}' is a built-in type and can't be deleted`);
  const path = getThingPath(thing, id);
  const leaves = [path, ...FIELDS[thing].map((field) => `${path}/${field}`)].map((leafPath) => draft.get(leafPath));
  if (!leaves.every((leaf) => canOverwrite(leaf, context))) return reportConflict(path);
  draft.countRemoved(thing);
  draft.write(path, false, context);
}

function setLink(context: ChangeContext, item: string, type: string, isLinked: boolean): void {
  const { draft, reportConflict } = context;
  const path = getLinkPath(item, type);
  if (!draft.exists('items', item)) return reportConflict(getThingPath('items', item));
  if (!draft.exists('types', type)) return reportConflict(getThingPath('types', type));
  if (isLinked || draft.get(path) !== undefined) setLeaf(context, path, isLinked);
}

function applyLink(context: ChangeContext, change: Extract<Change, { kind: 'link' }>): void {
  const [item, type] = [context.draft.findServerId(change.item), context.draft.findServerId(change.type)];
  if (item !== undefined && type !== undefined) setLink(context, item, type, change.isLinked);
}

/** Applies a complete list of links. It removes only links that its sender knew. */
function applyLinks(context: ChangeContext, change: Extract<Change, { kind: 'links' }>): void {
  const { draft, base, time } = context;
  const item = draft.findServerId(change.item);
  if (item === undefined) return;
  const types = new Set(change.types.flatMap((type) => draft.findServerId(type) ?? []));
  // The complete list repeats links that exist already: they are not new.
  const linkedTypes = new Set(draft.exists('items', item) ? draft.listLinkedTypes(item) : []);
  for (const type of types)
    if (!linkedTypes.has(type) || !draft.exists('types', type)) setLink(context, item, type, true);
  for (const type of linkedTypes) {
    const leaf = draft.get(getLinkPath(item, type));
    const isKnown = leaf && (base === undefined ? time >= leaf.time : hasSeen(leaf, context));
    if (isKnown === true && !types.has(type)) setLink(context, item, type, false);
  }
}

function applyChange(context: ChangeContext, change: Change): void {
  switch (change.kind) {
    case 'rename':
      return setLeaf(context, 'name', change.name);
    case 'item':
    case 'type':
      return setField(context, change);
    case 'count':
      return changeAmount(context, change.id, change.by);
    case 'remove':
      return removeThing(context, `${change.thing}s`, change.id);
    case 'link':
      return applyLink(context, change);
    case 'links':
      return applyLinks(context, change);
  }
}

/** Returns what members see at a path: a field or a link is visible only if its things exist. */
function getVisibleValue(state: ListState, path: LeafPath): LeafValue | undefined {
  const [kind = '', id = '', type] = path.split('/');
  const exists = (thing: string, thingId: string): boolean => state.leaves.get(`${thing}/${thingId}`)?.value === true;
  if (kind === 'links') {
    if (type === undefined || !exists('items', id) || !exists('types', type)) return undefined;
    return state.leaves.get(path)?.value === true || undefined;
  }
  if (kind !== 'name' && !exists(kind, id)) return undefined;
  return state.leaves.get(path)?.value;
}

/** Returns the path and, if it is the path of an existing thing, those of its fields and links. */
function listAffectedPaths(state: ListState, path: LeafPath): readonly LeafPath[] {
  const [kind, id, detail] = path.split('/');
  if (detail !== undefined || id === undefined || state.leaves.get(path)?.value !== true) return [path];
  const fields = FIELDS[kind === 'items' ? 'items' : 'types'].map((field) => `${path}/${field}`);
  const links = [...state.leaves.keys()].filter(
    (leafPath) => leafPath.startsWith('links/') && leafPath.split('/')[kind === 'items' ? 1 : 2] === id,
  );
  return [path, ...fields, ...links];
}

function toLeafChanges(state: ListState, paths: Iterable<LeafPath>): readonly LeafChange[] {
  const affectedPaths = new Set([...paths].flatMap((path) => listAffectedPaths(state, path)));
  return [...affectedPaths].map((path) => [path, getVisibleValue(state, path)]);
}

/**
 * Applies a batch, change by change, and returns the new state with what to store and send. A change that lost a
 * conflict is corrected; the rest of the batch is applied.
 * @throws Refusal if the list would become too large or the built-in type would be removed; then nothing is changed.
 */
export function mergeBatch(state: ListState, batch: Batch): MergeResult {
  const draft = createStateDraft(state, batch);
  const conflicts = new Set<LeafPath>();
  const reportConflict = (path: LeafPath): void => void conflicts.add(path);
  const writer = batch.base === undefined ? '' : batch.client;
  for (const { change, time } of batch.changes)
    applyChange({ draft, writer, base: batch.base, time, reportConflict }, change);
  const next = draft.finish();
  const changes = toLeafChanges(next, draft.writes.keys()).filter(
    ([path, value]) => !isSameValue(value, getVisibleValue(state, path)),
  );
  return {
    state: next,
    writes: draft.writes,
    changes,
    corrections: toLeafChanges(next, conflicts),
    ids: draft.assignedIds,
  };
}
