import type { AnswerOf } from '#platform/contract/call.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import type { getshoplist, modifyshoplist, shoplistChanges } from '../../contract.ts';
import { NEW_LIST_NAME, NEW_TYPE, UNSORTED, UNSORTED_ID, type Change, type List } from '../../lists/domain/list.ts';
import { addToAmount, applyChanges, createListDraft } from './listReducer.ts';
import { applyWireChanges, parseTree, type WireChange } from './listWire.ts';
import { getPath, writeChanges } from './writeBatch.ts';

/**
 * A copy of a list in a browser: base, frozen batch and pending changes. Pure: functions return a new replica.
 * The visible list is always base, frozen and pending together, so no answer or event reverts an own change.
 */
export interface Replica {
  /** The server's id; undefined until the list is created. */
  readonly list: number | undefined;
  /** Random id that only this replica uses. */
  readonly client: string;
  /** The server's list at `revision`. */
  readonly base: List;
  readonly revision: number;
  /** Resent unchanged until it is acknowledged. */
  readonly frozen: FrozenBatch | undefined;
  readonly pending: readonly PendingChange[];
  /** Number of the last batch. */
  readonly seq: number;
  /** Server ids by own `new…` ids, once `base` contains them. Until then things have their `new…` ids. */
  readonly ids: ReadonlyMap<string, string>;
  /** Out-of-order events, which arrived before their predecessor, by revision. Browsers have stored this name. */
  readonly early: ReadonlyMap<number, ListEvent>;
}

/** A change with the time at which it was made, in epoch milliseconds of the browser's clock. */
export interface PendingChange {
  readonly change: Change;
  readonly at: number;
  /** Revision that the replica knew when the change was made. */
  readonly seen: number;
}

export interface FrozenBatch {
  readonly seq: number;
  /** Lowest revision that all of its changes had seen. Changes of others after it are ordered by time. */
  readonly base: number;
  readonly changes: readonly PendingChange[];
  /** Revision of the acknowledgement. The batch stays visible until all events up to it have arrived. */
  readonly answered?: number | undefined;
}

/** Content of a list event. */
export interface ListEvent {
  readonly revision: number;
  readonly changes: readonly WireChange[];
  readonly ids: Readonly<Record<string, string>>;
  readonly client?: string | undefined;
  readonly seq?: number | undefined;
}

/** The server's answer to an own batch. */
export interface Answer extends Pick<ListEvent, 'revision' | 'changes' | 'ids'> {
  /** Number of the acknowledged batch, from the body of the call: an answer can be late. */
  readonly seq: number;
  readonly id?: number | undefined;
  /** Whether the batch changed anything; then `changes` equals the event's. */
  readonly changed: boolean;
}

/** A whole list as loaded from the server. */
export interface LoadedList {
  readonly list: List;
  readonly revision: number;
  readonly ids: Readonly<Record<string, string>>;
  /** Newest batch of this replica that the server has processed. */
  readonly seq: number;
  /** Message with which that batch was refused. */
  readonly refused?: string | undefined;
}

/** Parses the answer of `getshoplist`, which was called with the replica's `client`. */
export function parseLoadedList(data: AnswerOf<typeof getshoplist>['data']): LoadedList {
  const { name, items, types, links, revision, ids, seq, refused } = data;
  return { list: parseTree({ name, items, types, links }), revision, ids, seq, refused };
}

/** Parses the answer of `modifyshoplist` to batch `seq`. */
export function parseAnswer(data: AnswerOf<typeof modifyshoplist>, seq: number): Answer {
  const { id, revision, changes, ids, changed } = data;
  return { id, revision, changes, ids, changed, seq };
}

/** Parses the event `shoplistchanges`. */
export function parseListEvent(data: EventDataOf<typeof shoplistChanges>): ListEvent {
  const { revision, changes, ids, client, seq } = data;
  return { revision, changes, ids, client, seq };
}

/** A batch that the server refused for good. */
export interface RefusedBatch {
  readonly seq: number;
  /** The server's message. */
  readonly why: string;
  readonly changes: readonly PendingChange[];
}

/** Creates a replica of a list on the server, before it is loaded. */
export function createUnloadedReplica(list: number | undefined, client: string, base: List): Replica {
  return {
    list,
    client,
    base,
    revision: 0,
    frozen: undefined,
    pending: [],
    seq: 0,
    ids: new Map(),
    early: new Map(),
  };
}

/** Creates a replica of a list that its first batch creates; `base` equals the server's list before that batch. */
export function createNewReplica(client: string): Replica {
  return {
    ...createUnloadedReplica(undefined, client, {
      name: NEW_LIST_NAME,
      items: new Map(),
      types: new Map([[UNSORTED_ID, { ...NEW_TYPE, name: UNSORTED, isOwn: false }]]),
      links: new Map(),
    }),
    revision: 1,
  };
}

/** Replaces `new…` ids by server ids, if they are known. */
function replaceNewIds(change: Change, ids: ReadonlyMap<string, string>): Change {
  const toServerId = (id: string): string => ids.get(id) ?? id;
  switch (change.kind) {
    case 'rename':
      return change;
    case 'link':
      return { ...change, item: toServerId(change.item), type: toServerId(change.type) };
    case 'links':
      return { ...change, item: toServerId(change.item), types: change.types.map(toServerId) };
    case 'item':
    case 'type':
    case 'count':
    case 'remove':
      return { ...change, id: toServerId(change.id) };
  }
}

const toChanges = (
  pending: readonly PendingChange[] | undefined,
  ids: ReadonlyMap<string, string>,
): readonly Change[] => (pending ?? []).map(({ change }) => replaceNewIds(change, ids));

export function getVisibleList(replica: Replica): List {
  const { base, frozen, pending, ids } = replica;
  return applyChanges(base, [...toChanges(frozen?.changes, ids), ...toChanges(pending, ids)]);
}

/** `new…` ids by server ids. `ids` is immutable, so this map is computed once. */
const newIdsCache = new WeakMap<Replica['ids'], ReadonlyMap<string, string>>();
function getNewIds(ids: Replica['ids']): ReadonlyMap<string, string> {
  const cached = newIdsCache.get(ids);
  if (cached) return cached;
  const newIds = new Map([...ids].map(([newId, serverId]) => [serverId, newId]));
  newIdsCache.set(ids, newIds);
  return newIds;
}

/** Returns an id that stays the same when the server assigns its own; for React keys. */
export function getKey({ ids }: Pick<Replica, 'ids'>, id: string): string {
  return getNewIds(ids).get(id) ?? id;
}

/** Reduces a change to its effect: a counter stops at 0, and the built-in type cannot be removed. */
function toEffectiveChange(change: Change, list: List): Change | undefined {
  if (change.kind === 'remove') return change.thing === 'type' && change.id === UNSORTED_ID ? undefined : change;
  if (change.kind !== 'count') return change;
  const amount = list.items.get(change.id)?.actual ?? 0;
  const by = addToAmount(amount, change.by) - amount;
  return by === 0 ? undefined : { ...change, by };
}

/** Returns the replica with these pending changes. `time`: when they were made, in the browser's epoch milliseconds. */
export function addChanges(replica: Replica, changes: readonly Change[], time: number): Replica {
  const pending = [...replica.pending];
  const draft = createListDraft(getVisibleList(replica));
  for (const change of changes) {
    const effectiveChange = toEffectiveChange(replaceNewIds(change, replica.ids), draft.list);
    if (effectiveChange === undefined) continue;
    pending.push({ change: effectiveChange, at: time, seen: replica.revision });
    draft.change(effectiveChange);
  }
  return { ...replica, pending };
}

/** Returns the number of changes that are not acknowledged. */
export function countUnsent({ frozen, pending }: Replica): number {
  return (frozen?.changes.length ?? 0) + pending.length;
}

/** Turns the pending changes into the frozen batch, unless there is one already or nothing is pending. */
export function freeze(replica: Replica): Replica {
  const { frozen, pending, seq, ids } = replica;
  if (frozen !== undefined || pending.length === 0) return replica;
  // A thing must have one id within a batch, or its changes would lose their order.
  const changes = pending.map((pendingChange) => ({
    ...pendingChange,
    change: replaceNewIds(pendingChange.change, ids),
  }));
  const base = Math.min(...changes.map(({ seen }) => seen));
  return { ...replica, seq: seq + 1, frozen: { seq: seq + 1, base, changes }, pending: [] };
}

/** Builds the request for the frozen batch. `now`: epoch milliseconds of the browser's clock. */
export function toRequestBody(replica: Replica, { changes, seq, base }: FrozenBatch, now: number) {
  const visibleList = applyChanges(replica.base, toChanges(changes, replica.ids));
  const batch = writeChanges(
    changes.map(({ change }) => change),
    visibleList,
  );
  const age: Record<string, number> = {};
  for (const { change, at } of changes) age[getPath(change)] = Math.max(0, now - at);
  return { id: replica.list ?? -1, ...batch, age, base, seq, client: replica.client, timesent: now / 1000 };
}

const isOwnBatch = ({ client, frozen }: Replica, event: ListEvent): boolean =>
  event.client === client && frozen !== undefined && event.seq === frozen.seq;

const addIds = (replica: Replica, ids: Readonly<Record<string, string>>): Replica => ({
  ...replica,
  ids: new Map([...replica.ids, ...Object.entries(ids)]),
});

/** Removes the acknowledged batch as soon as the base contains it. */
function dropAcknowledged(replica: Replica): Replica {
  const { frozen, revision } = replica;
  return frozen?.answered !== undefined && frozen.answered <= revision ? { ...replica, frozen: undefined } : replica;
}

function applyEvent(replica: Replica, event: ListEvent): Replica {
  const early = new Map(replica.early);
  early.delete(event.revision);
  const next = {
    ...(event.client === replica.client ? addIds(replica, event.ids) : replica),
    base: applyWireChanges(replica.base, event.changes),
    revision: event.revision,
    early,
    frozen: isOwnBatch(replica, event) ? undefined : replica.frozen,
  };
  const following = early.get(event.revision + 1);
  return following ? applyEvent(next, following) : dropAcknowledged(next);
}

/** Applies an event: immediately if it is the next one, later if a predecessor is missing, never if it is old. */
export function receiveEvent(replica: Replica, event: ListEvent): Replica {
  if (event.revision === replica.revision + 1) return applyEvent(replica, event);
  if (event.revision > replica.revision)
    return { ...replica, early: new Map(replica.early).set(event.revision, event) };
  return isOwnBatch(replica, event) ? { ...addIds(replica, event.ids), frozen: undefined } : replica;
}

/** Returns whether sent events are missing. If that persists, the list must be loaded again. */
export function hasGap({ early, frozen, revision }: Replica): boolean {
  return early.size > 0 || (frozen?.answered ?? 0) > revision;
}

/** Acknowledges a batch. An answer to an older batch than the frozen one changes nothing. */
export function receiveAnswer(replica: Replica, answer: Answer): Replica {
  const { frozen, client } = replica;
  const next = { ...replica, list: replica.list ?? answer.id };
  if (frozen?.seq !== answer.seq) return next;
  const acknowledged = { ...next, frozen: { ...frozen, answered: answer.revision } };
  return answer.changed ? receiveEvent(acknowledged, { ...answer, client }) : dropAcknowledged(acknowledged);
}

/** Removes the refused batch, so that it is not sent again. */
export function dropRefusedBatch(replica: Replica, seq: number): Replica {
  return replica.frozen?.seq === seq ? { ...replica, frozen: undefined } : replica;
}

/**
 * Returns the frozen batch if a loaded list reports its refusal, in case the answer with the refusal was lost.
 * Call this before `receiveList`, which drops the batch.
 */
export function findRefusal({ frozen }: Replica, { seq, refused: why }: LoadedList): RefusedBatch | undefined {
  return why !== undefined && frozen?.seq === seq ? { seq, why, changes: frozen.changes } : undefined;
}

/** Replaces the base by a loaded list. */
export function receiveList(replica: Replica, loaded: LoadedList): Replica {
  const { list, revision, ids, seq } = loaded;
  // An older list is ignored, but a refusal counts whenever it was reported.
  if (revision < replica.revision) return findRefusal(replica, loaded) ? dropRefusedBatch(replica, seq) : replica;
  const { frozen, early } = replica;
  const next = addIds(
    {
      ...replica,
      base: list,
      revision,
      early: new Map([...early].filter(([eventRevision]) => eventRevision > revision)),
      frozen: frozen !== undefined && frozen.seq <= seq ? undefined : frozen,
    },
    ids,
  );
  const following = next.early.get(revision + 1);
  return following ? applyEvent(next, following) : dropAcknowledged(next);
}
