import {
  type Change,
  type List,
  ITEM_FIELDS,
  NEW_ITEM,
  NEW_LIST_NAME,
  NEW_TYPE,
  TYPE_FIELDS,
  UNSORTED_ID,
} from '../../lists/domain/list.ts';
import type { ListEntry, Planner } from '../../lists/web/plannerTypes.ts';
import { createStep, createUndoStep, type Step } from '../domain/inverse.ts';
import { createUnloadedReplica, createNewReplica, type Replica } from '../domain/replica.ts';
import { createNewIds } from '../domain/writeBatch.ts';
import {
  createPersistedReplica,
  type PersistedReplica,
  createSummary,
  type ReplicaStore,
  type Menu,
  type Summary,
} from './persistedReplica.ts';
import { createSync, type Clock, type Sync } from './syncDriver.ts';
import type { Transport } from './transport.ts';

/** Returns changes that give a new list the name, items, types and links of `from`, or the default name without it. */
function createContent(from: { readonly name: string; readonly list: List } | undefined, now: number) {
  if (!from) return [{ kind: 'rename', name: NEW_LIST_NAME }] satisfies readonly Change[];
  const { name, list } = from;
  const newId = createNewIds();
  const assignedIds = new Map<string, string>();
  const getNewId = (thing: string, id: string): string => {
    const assigned = assignedIds.get(`${thing}/${id}`);
    if (assigned !== undefined) return assigned;
    const next = newId(now, { size: assignedIds.size, has: () => false });
    assignedIds.set(`${thing}/${id}`, next);
    return next;
  };
  const changes: Change[] = [{ kind: 'rename', name }];
  const typeId = (id: string): string => (id === UNSORTED_ID ? id : getNewId('type', id));
  for (const [id, type] of list.types)
    for (const field of TYPE_FIELDS)
      // The name creates the thing; fields with their default value need no change.
      if (field === 'name' || String(type[field]) !== String(NEW_TYPE[field]))
        changes.push({ kind: 'type', id: typeId(id), field, value: type[field] });
  for (const [id, item] of list.items) {
    for (const field of ITEM_FIELDS)
      if (field === 'name' || item[field] !== NEW_ITEM[field])
        changes.push({ kind: 'item', id: getNewId('item', id), field, value: item[field] });
    for (const type of list.links.get(id) ?? [])
      changes.push({ kind: 'link', item: getNewId('item', id), type: typeId(type), isLinked: true });
  }
  return changes;
}

/** More steps than anyone undoes. */
const MAX_UNDO_STEPS = 100;

/** The user's last steps in one list, for as long as the page is open. */
interface Undo {
  readonly change: (changes: readonly Change[]) => void;
  readonly can: () => boolean;
  readonly back: () => void;
}

function createUndo(sync: Sync, clock: Clock): Undo {
  const newIds = createNewIds();
  let steps: readonly Step[] = [];
  /** New ids of restored things, by their old ids. */
  const restoredIds = new Map<string, string>();

  const resolveId = (id: string): string => {
    const ids = sync.getReplica()?.ids;
    const getNextId = (each: string): string | undefined => restoredIds.get(each) ?? ids?.get(each);
    let current = id;
    for (let next = getNextId(current); next !== undefined; next = getNextId(current)) current = next;
    return current;
  };

  return {
    change: (changes) => {
      const { list } = sync.getStatus();
      const step = list ? createStep(list, changes) : [];
      if (step.length > 0) steps = [...steps, step].slice(-MAX_UNDO_STEPS);
      sync.change(changes);
    },
    can: () => steps.length > 0,
    back: () => {
      const { list } = sync.getStatus();
      const step = steps.at(-1);
      if (!step || !list) return;
      steps = steps.slice(0, -1);
      const takenIds = {
        size: list.items.size + list.types.size,
        has: (id: string) => list.items.has(id) || list.types.has(id),
      };
      const undoStep = createUndoStep(step, list, { known: resolveId, newId: () => newIds(clock.now(), takenIds) });
      for (const [was, is] of undoStep.again) restoredIds.set(was, is);
      // Also if nothing is left to undo: subscribers must learn that there is one step less.
      sync.change(undoStep.changes);
    },
  };
}

export interface ListsDeps {
  readonly store: ReplicaStore;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Random id of letters, digits and '-'. */
  readonly randomId: () => string;
  readonly onFailure: (error: unknown) => void;
  /** A batch of a list was refused. `seen`: the list as the user saw it. */
  readonly onRefused: (why: string, seen: List) => void;
}

/** A list with its sync and its undo stack. */
export interface OpenedList {
  readonly sync: Sync;
  readonly replica: PersistedReplica;
  readonly undo: Undo;
}

interface RunningList extends OpenedList {
  users: number;
}

/** All lists of an account in this page: the menu, and one sync per list that is shown or has unsent changes. */
export interface Lists {
  readonly planner: () => Planner;
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Resolves when the stored lists, and this list (by key or id), are read. The server is not called before `start`.
   */
  readonly ready: (name: string | undefined) => Promise<void>;
  /** Starts to sync. Returns a function that stops it. */
  readonly start: () => () => void;
  /** Undefined until the stored lists are read. */
  readonly open: (key: string) => OpenedList | undefined;
  /** Changes a list as one step for undo, even if it was closed in the meantime. */
  readonly getChange: (key: string) => (changes: readonly Change[]) => void;
  /** Counts a user of the list until the returned function is called. */
  readonly use: (key: string) => () => void;
  /** Call this when the connection is back, or the page is visible again. */
  readonly connect: () => void;
  readonly disconnect: () => void;
  /** Call this when the page may be closed. */
  readonly flush: () => void;
  readonly unsent: () => number;
}

const NO_LIST: List = { name: '', items: new Map(), types: new Map(), links: new Map() };
const DIGITS = /^\d{1,15}$/;

const isSame = (one: Summary | undefined, other: Summary): boolean =>
  one?.list === other.list && one?.name === other.name && one?.unsent === other.unsent;

export function createLists({ store, transport, clock, randomId, onFailure, onRefused }: ListsDeps): Lists {
  const listeners = new Set<() => void>();
  let reading: Promise<void> | undefined;
  let isStarted = false;
  const running = new Map<string, RunningList>();
  let menu: Menu | undefined;
  let summaries: ReadonlyMap<string, Summary> = new Map();
  /** Lists that were removed here since the store was read. */
  const dropped = new Set<string>();
  let isRead = false;
  let isMenuRequested = false;
  /** Numbers of the last menu request and of the one whose answer is shown: answers can arrive out of order. */
  let lastMenuRequest = 0;
  let shownMenuRequest = 0;
  let isStored = true;
  let isOver = false;
  let snapshot: Planner | undefined;
  let nameCache: { readonly of: Menu | undefined; readonly names: ReadonlySet<string> } | undefined;

  const notify = (): void => {
    snapshot = undefined;
    for (const each of listeners) each();
  };
  const names = (): ReadonlySet<string> => {
    if (nameCache === undefined || nameCache.of !== menu)
      nameCache = { of: menu, names: new Set(menu?.globalItems.map(({ name }) => name)) };
    return nameCache.names;
  };
  const note = (summary: Summary): void => {
    if (dropped.has(summary.key) || isSame(summaries.get(summary.key), summary)) return;
    summaries = new Map(summaries).set(summary.key, summary);
    notify();
  };
  /** Returns the key under which a list is stored. A list that was created here keeps its first key. */
  const findKey = (id: number): string => [...summaries.values()].find(({ list }) => list === id)?.key ?? String(id);

  const run = (key: string, fresh: () => Replica): RunningList => {
    const replica = createPersistedReplica({
      store,
      key,
      fresh,
      onNotStored: () => {
        isStored = false;
        notify();
      },
    });
    const sync = createSync({ replica, transport, clock, names, onRefused });
    const undo = createUndo(sync, clock);
    if (DIGITS.test(key)) dropped.delete(key);
    const one: RunningList = { replica, sync, undo, users: 0 };
    running.set(key, one);
    replica.subscribe(() => {
      const visible = replica.getVisible();
      if (visible && visible.revision > 0)
        note({ ...createSummary(key, visible), name: sync.getStatus().list?.name ?? '' });
    });
    if (isStarted) void sync.open();
    return one;
  };

  const open = (listName: string): RunningList => {
    const key = DIGITS.test(listName) ? findKey(Number(listName)) : listName;
    const runningList = running.get(key);
    if (runningList) return runningList;
    const list = summaries.get(key)?.list ?? (DIGITS.test(key) ? Number(key) : undefined);
    return run(key, () => createUnloadedReplica(list, randomId(), NO_LIST));
  };

  const sendStored = (): void => {
    for (const { key, unsent, list } of summaries.values()) if (unsent > 0 || list === undefined) open(key);
  };

  const readStored = async (): Promise<void> => {
    const [stored, last] = await Promise.all([store.listSummaries(), store.readMenu()]).catch(
      () => [[], undefined] as const,
    );
    const fresh = new Map(stored.map((summary) => [summary.key, summary]));
    // An open list is newer than its stored summary.
    for (const key of running.keys()) {
      const own = summaries.get(key);
      if (own) fresh.set(key, own);
    }
    for (const key of dropped) fresh.delete(key);
    summaries = fresh;
    menu ??= last;
    isRead = true;
    notify();
  };

  const readOnce = (): Promise<void> => (reading ??= readStored());

  const checkStorage = async (): Promise<void> => {
    isStored = (await store.isReady) && isStored;
    notify();
  };

  const drop = (key: string): void => {
    running.get(key)?.sync.stop();
    running.delete(key);
    dropped.add(key);
    summaries = new Map([...summaries].filter(([each]) => each !== key));
    void store.change(key, () => undefined).catch(() => undefined);
    notify();
  };

  /** Drops lists that others deleted, unless they have unsent changes or are open. */
  const dropGone = (there: Menu): void => {
    const ids = new Set(there.lists.map(({ id }) => id));
    for (const { key, list, unsent } of summaries.values())
      if (list !== undefined && !ids.has(list) && unsent === 0 && (running.get(key)?.users ?? 0) === 0) drop(key);
  };

  const requestMenu = async (): Promise<void> => {
    const number = (lastMenuRequest += 1);
    try {
      const next = await transport.menu();
      if (isOver || number < shownMenuRequest) return;
      shownMenuRequest = number;
      menu = next;
      isMenuRequested = true;
      dropGone(next);
      notify();
      await store.writeMenu(next).catch(() => undefined);
    } catch (error) {
      isMenuRequested = true;
      notify();
      throw error;
    }
  };
  /** Failures are ignored: the menu is requested again with the next event or connection. */
  const requestMenuQuietly = (): void => void requestMenu().catch(() => undefined);

  const create: Planner['create'] = (from) => {
    const key = `new-${randomId()}`;
    const client = randomId();
    const { sync } = run(key, () => createNewReplica(client));
    sync.change(createContent(from, clock.now()));
    return key;
  };

  const reload = (): void => {
    void requestMenu().catch(onFailure);
    for (const { sync, users } of running.values()) if (users > 0) sync.connect();
  };

  const entries = (): readonly ListEntry[] => {
    const there = menu?.lists ?? [];
    const ids = new Set(there.map(({ id }) => id));
    const byId = new Map(
      [...summaries.values()].flatMap((each) => (each.list === undefined ? [] : [[each.list, each]])),
    );
    const own = [...summaries.values()].filter(({ list, unsent }) =>
      list === undefined ? true : !ids.has(list) && unsent > 0,
    );
    return [
      ...there.map(({ id, name, owner, members, archived }): ListEntry => {
        const here = byId.get(id);
        const isNewer = here !== undefined && (here.unsent > 0 || running.has(here.key)) && here.name !== '';
        return {
          key: here?.key ?? String(id),
          id,
          name: isNewer ? here.name : name,
          owner,
          members,
          isArchived: archived,
          unsent: here?.unsent ?? 0,
        };
      }),
      ...own.map(({ key, list, name, unsent }): ListEntry => ({
        key,
        id: list,
        name,
        owner: undefined,
        members: 1,
        isArchived: false,
        unsent,
      })),
    ];
  };

  return {
    planner: () =>
      (snapshot ??= {
        lists: entries(),
        invitations: menu?.invitations ?? [],
        deleted: menu?.deleted ?? [],
        globalItems: menu?.globalItems ?? [],
        isKnown: true,
        isLoading: menu === undefined && !isMenuRequested && (!isRead || summaries.size === 0),
        isStored,
        offline: 'preparing',
        reload,
        create,
        drop,
      }),
    subscribe: (each) => {
      listeners.add(each);
      return () => listeners.delete(each);
    },
    start: () => {
      isStarted = true;
      for (const { sync } of running.values()) void sync.open();
      void readOnce().then(sendStored);
      void checkStorage();
      requestMenuQuietly();
      const stops = [
        transport.onChanges((list, event) => running.get(findKey(list))?.sync.receive(event)),
        transport.onMenu(requestMenuQuietly),
        store.onChange((key) => {
          const there = key === undefined ? undefined : running.get(key);
          if (there) there.replica.refresh();
          else void readStored();
        }),
      ];
      return () => {
        isOver = true;
        for (const stop of stops) stop();
        for (const { sync } of running.values()) sync.stop();
        running.clear();
        store.close();
      };
    },
    ready: async (name) => {
      // Read together with the menu: for most lists, key and id are the same.
      const replicaRead = name === undefined ? undefined : store.read(name).catch(() => undefined);
      await readOnce();
      await replicaRead;
      const key = name !== undefined && DIGITS.test(name) ? findKey(Number(name)) : name;
      if (key !== undefined && summaries.has(key)) await open(key).replica.open();
    },
    open: (key) => (isRead ? open(key) : undefined),
    getChange: (key) => (changes) => open(key).undo.change(changes),
    use: (key) => {
      if (!isRead) return () => undefined;
      const one = open(key);
      one.users += 1;
      return () => void (one.users -= 1);
    },
    connect: () => {
      requestMenuQuietly();
      for (const [key, { sync, replica, users }] of running)
        // A new list has no unsent changes until the store is open.
        if (users > 0 || replica.isBusy() || sync.getStatus().unsent > 0) sync.connect();
        else {
          sync.stop();
          running.delete(key);
        }
    },
    disconnect: () => {
      for (const { sync } of running.values()) sync.disconnect();
    },
    flush: () => {
      for (const { sync } of running.values()) sync.flush();
    },
    unsent: () => [...summaries.values()].reduce((sum, { unsent }) => sum + unsent, 0),
  };
}
