import { NEW_LIST_NAME, NEW_TYPE, UNSORTED, UNSORTED_ID, type Change, type List } from '../../lists/domain/list.ts';
import { changed, counted, startChanges } from './applyChanges.ts';
import { type WireChange, applyWireChanges as toldList } from './listWire.ts';
import { pathOf, writeChanges } from './writeBatch.ts';

/**
 * What a browser holds of one list: the list as the server last told it, the batch that is on its way, and what was changed since. Pure: every
 * function gives a new one. What a person sees is always all three on top of each other, so no answer and no event takes an own change back.
 */
export interface Replica {
  /** The server's id; undefined while the list is to be made. */
  readonly list: number | undefined;
  /** Random, of this replica alone. */
  readonly client: string;
  /** As of `revision`. */
  readonly base: List;
  readonly revision: number;
  /** Sent word for word until it is answered. */
  readonly frozen: FrozenBatch | undefined;
  readonly pending: readonly PendingChange[];
  /** The number of the last batch. */
  readonly seq: number;
  /** What own `new…` ids have become, as far as `base` knows of it: until then their things are seen under their first ones. */
  readonly ids: ReadonlyMap<string, string>;
  /** Events that came before one that they follow, by revision. */
  readonly early: ReadonlyMap<number, ListEvent>;
}

/** A change and when it was made, in milliseconds since the epoch of the browser's clock. */
export interface PendingChange {
  readonly change: Change;
  readonly at: number;
  /** The revision that was seen. */
  readonly seen: number;
}

export interface FrozenBatch {
  readonly seq: number;
  /** The revision that all of its changes had seen: what others changed while they were kept here is ordered by time. */
  readonly base: number;
  readonly changes: readonly PendingChange[];
  /** Answered, but the events up to this revision are not all here: it stays in sight until they are. */
  readonly answered?: number | undefined;
}

/** What an event says. */
export interface ListEvent {
  readonly revision: number;
  readonly changes: readonly WireChange[];
  readonly ids: Readonly<Record<string, string>>;
  readonly client?: string | undefined;
  readonly seq?: number | undefined;
}

/** What the own batch is answered. */
export interface Answer extends Pick<ListEvent, 'revision' | 'changes' | 'ids'> {
  /** The batch that it answers, as the body of the call said: an answer may come late. */
  readonly seq: number;
  readonly id?: number | undefined;
  /** Whether it changed anything; then `changes` is what the event says. */
  readonly changed: boolean;
}

/** A whole list as the server tells it. */
export interface LoadedList {
  readonly list: List;
  readonly revision: number;
  readonly ids: Readonly<Record<string, string>>;
  /** The last batch of this replica that the server has seen. */
  readonly seq: number;
  /** The sentence that refused that batch. */
  readonly refused?: string | undefined;
}

/** A batch that the server did not take, and never will. */
export interface RefusedBatch {
  readonly seq: number;
  /** The server's sentence. */
  readonly why: string;
  readonly changes: readonly PendingChange[];
}

/** A replica of a list that the server has, before anything of it is loaded. */
export function emptyReplica(list: number | undefined, client: string, base: List): Replica {
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

/** A replica of a list that its first batch makes; `base` is what the server makes before it takes that batch. */
export function newReplica(client: string): Replica {
  return {
    ...emptyReplica(undefined, client, {
      name: NEW_LIST_NAME,
      items: new Map(),
      types: new Map([[UNSORTED_ID, { ...NEW_TYPE, name: UNSORTED, isOwn: false }]]),
      links: new Map(),
    }),
    revision: 1,
  };
}

/** With the server's ids where they are known. */
const translated = (change: Change, ids: ReadonlyMap<string, string>): Change => {
  const known = (id: string): string => ids.get(id) ?? id;
  switch (change.kind) {
    case 'rename':
      return change;
    case 'link':
      return { ...change, item: known(change.item), type: known(change.type) };
    case 'links':
      return { ...change, item: known(change.item), types: change.types.map(known) };
    case 'item':
    case 'type':
    case 'count':
    case 'remove':
      return { ...change, id: known(change.id) };
  }
};

const changesIn = (made: readonly PendingChange[] | undefined, ids: ReadonlyMap<string, string>): readonly Change[] =>
  (made ?? []).map(({ change }) => translated(change, ids));

/** What a person sees. */
export function view(replica: Replica): List {
  const { base, frozen, pending, ids } = replica;
  return changed(base, [...changesIn(frozen?.changes, ids), ...changesIn(pending, ids)]);
}

/** First names by the server's ids. A replica's `ids` never change, so they are turned round once. */
const turned = new WeakMap<Replica['ids'], ReadonlyMap<string, string>>();
const firstNames = (ids: Replica['ids']): ReadonlyMap<string, string> => {
  const before = turned.get(ids);
  if (before) return before;
  const names = new Map([...ids].map(([sent, given]) => [given, sent]));
  turned.set(ids, names);
  return names;
};

/** The name of a thing that stays the same when the server gives it its id: for what is drawn. */
export function keyOf({ ids }: Pick<Replica, 'ids'>, id: string): string {
  return firstNames(ids).get(id) ?? id;
}

/** What a change does where it is made: a minus that meets 0 takes less away, and the built-in type stays. */
const effective = (change: Change, seen: List): Change | undefined => {
  if (change.kind === 'remove') return change.thing === 'type' && change.id === UNSORTED_ID ? undefined : change;
  if (change.kind !== 'count') return change;
  const amount = seen.items.get(change.id)?.actual ?? 0;
  const by = counted(amount, change.by) - amount;
  return by === 0 ? undefined : { ...change, by };
};

/** The replica with changes made at `at`, the browser's clock. */
export function make(replica: Replica, changes: readonly Change[], at: number): Replica {
  const pending = [...replica.pending];
  const { seen, add } = startChanges(view(replica));
  for (const each of changes) {
    const change = effective(translated(each, replica.ids), seen);
    if (change === undefined) continue;
    pending.push({ change, at, seen: replica.revision });
    add(change);
  }
  return { ...replica, pending };
}

/** How many changes are not on the server, as far as is known. */
export function unsent({ frozen, pending }: Replica): number {
  return (frozen?.changes.length ?? 0) + pending.length;
}

/** What is pending becomes the batch that is sent; nothing where one is on its way or there is nothing. */
export function freeze(replica: Replica): Replica {
  const { frozen, pending, seq, ids } = replica;
  if (frozen !== undefined || pending.length === 0) return replica;
  // One thing goes by one name in a batch, or its changes would lose their order.
  const changes = pending.map((made) => ({ ...made, change: translated(made.change, ids) }));
  const base = Math.min(...changes.map(({ seen }) => seen));
  return { ...replica, seq: seq + 1, frozen: { seq: seq + 1, base, changes }, pending: [] };
}

/** The body of the call for the frozen batch; `now` by the browser's clock. */
export function bodyOf(replica: Replica, { changes, seq, base }: FrozenBatch, now: number) {
  const seen = changed(replica.base, changesIn(changes, replica.ids));
  const written = writeChanges(
    changes.map(({ change }) => change),
    seen,
  );
  const age: Record<string, number> = {};
  for (const { change, at } of changes) age[pathOf(change)] = Math.max(0, now - at);
  return { id: replica.list ?? -1, ...written, age, base, seq, client: replica.client, timesent: now / 1000 };
}

const isOwn = ({ client, frozen }: Replica, event: ListEvent): boolean =>
  event.client === client && frozen !== undefined && event.seq === frozen.seq;

const withIds = (replica: Replica, ids: Readonly<Record<string, string>>): Replica => ({
  ...replica,
  ids: new Map([...replica.ids, ...Object.entries(ids)]),
});

/** The batch leaves the sight at the very moment the base has it. */
const settled = (replica: Replica): Replica => {
  const { frozen, revision } = replica;
  return frozen?.answered !== undefined && frozen.answered <= revision ? { ...replica, frozen: undefined } : replica;
};

const integrated = (replica: Replica, event: ListEvent): Replica => {
  const early = new Map(replica.early);
  early.delete(event.revision);
  const own = event.client === replica.client ? withIds(replica, event.ids) : replica;
  const next = {
    ...own,
    base: toldList(replica.base, event.changes),
    revision: event.revision,
    early,
    frozen: isOwn(replica, event) ? undefined : replica.frozen,
  };
  const following = early.get(event.revision + 1);
  return following ? integrated(next, following) : settled(next);
};

/** What an event says: taken at once where it follows, kept where one before it is missing, known already where it is older. */
export function told(replica: Replica, event: ListEvent): Replica {
  if (event.revision === replica.revision + 1) return integrated(replica, event);
  if (event.revision > replica.revision)
    return { ...replica, early: new Map(replica.early).set(event.revision, event) };
  return isOwn(replica, event) ? { ...withIds(replica, event.ids), frozen: undefined } : replica;
}

/** Whether events are missing that the server has sent: to be loaded anew where that lasts. */
export function hasGap({ early, frozen, revision }: Replica): boolean {
  return early.size > 0 || (frozen?.answered ?? 0) > revision;
}

/** A batch was taken. It may be an older one than the frozen one: then nothing of it is news. */
export function answered(replica: Replica, answer: Answer): Replica {
  const { frozen, client } = replica;
  const named = { ...replica, list: replica.list ?? answer.id };
  if (frozen?.seq !== answer.seq) return named;
  const waiting = { ...named, frozen: { ...frozen, answered: answer.revision } };
  return answer.changed ? told(waiting, { ...answer, client }) : settled(waiting);
}

/** A batch was refused, and is not sent again. */
export function refused(replica: Replica, seq: number): Replica {
  return replica.frozen?.seq === seq ? { ...replica, frozen: undefined } : replica;
}

/**
 * The frozen batch, where a list told anew says that this very one was refused and the answer that said so was lost. To be asked before
 * `loaded`, which lets it go.
 */
export function refusedIn({ frozen }: Replica, { seq, refused: why }: LoadedList): RefusedBatch | undefined {
  return why !== undefined && frozen?.seq === seq ? { seq, why, changes: frozen.changes } : undefined;
}

/** The whole list, told anew. */
export function loaded(replica: Replica, whole: LoadedList): Replica {
  const { list, revision, ids, seq } = whole;
  // What is older than what is known is no news, but a refusal stands whenever it was told.
  if (revision < replica.revision) return refusedIn(replica, whole) ? refused(replica, seq) : replica;
  const { frozen, early } = replica;
  const next = withIds(
    {
      ...replica,
      base: list,
      revision,
      early: new Map([...early].filter(([each]) => each > revision)),
      frozen: frozen !== undefined && frozen.seq <= seq ? undefined : frozen,
    },
    ids,
  );
  const following = next.early.get(revision + 1);
  return following ? integrated(next, following) : settled(next);
}
