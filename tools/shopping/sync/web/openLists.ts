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
import { createUnloadedReplica, createNewReplica, type Replica } from '../domain/replica.ts';
import { describeEffects, createUndoChanges, type ChangeEffect } from '../domain/undoChanges.ts';
import { createIdGenerator } from '../domain/writeBatch.ts';
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

/** Creates the changes that copy a list to a new one, or that name a new empty list. */
function createInitialChanges(source: { readonly name: string; readonly list: List } | undefined, now: number) {
  if (!source) return [{ kind: 'rename', name: NEW_LIST_NAME }] satisfies readonly Change[];
  const { name, list } = source;
  const generateId = createIdGenerator();
  const assignedIds = new Map<string, string>();
  function getNewId(thing: string, id: string): string {
    const assigned = assignedIds.get(`${thing}/${id}`);
    if (assigned !== undefined) return assigned;
    const next = generateId(now, { size: assignedIds.size, has: () => false });
    assignedIds.set(`${thing}/${id}`, next);
    return next;
  }
  const changes: Change[] = [{ kind: 'rename', name }];
  const getTypeId = (id: string): string => (id === UNSORTED_ID ? id : getNewId('type', id));
  for (const [id, type] of list.types)
    for (const field of TYPE_FIELDS)
      // The name creates the thing; fields with their default value need no change.
      if (field === 'name' || String(type[field]) !== String(NEW_TYPE[field]))
        changes.push({ kind: 'type', id: getTypeId(id), field, value: type[field] });
  for (const [id, item] of list.items) {
    for (const field of ITEM_FIELDS)
      if (field === 'name' || item[field] !== NEW_ITEM[field])
        changes.push({ kind: 'item', id: getNewId('item', id), field, value: item[field] });
    for (const type of list.links.get(id) ?? [])
      changes.push({ kind: 'link', item: getNewId('item', id), type: getTypeId(type), isLinked: true });
  }
  return changes;
}

const MAX_UNDO_STEPS = 100;

/** The user's last steps in one list, for as long as the page is open. */
interface UndoStack {
  readonly change: (changes: readonly Change[]) => void;
  readonly canUndo: () => boolean;
  readonly undo: () => void;
}

function createUndoStack(sync: Sync, clock: Clock): UndoStack {
  const generateId = createIdGenerator();
  /** Effects of each step that can be undone, oldest first. */
  let undoSteps: readonly (readonly ChangeEffect[])[] = [];
  /** New ids of restored things, by their old ids. */
  const restoredIds = new Map<string, string>();

  function resolveId(id: string): string {
    const ids = sync.getReplica()?.ids;
    const getNextId = (oldId: string): string | undefined => restoredIds.get(oldId) ?? ids?.get(oldId);
    let current = id;
    for (let next = getNextId(current); next !== undefined; next = getNextId(current)) current = next;
    return current;
  }

  return {
    change: (changes) => {
      const { list } = sync.getStatus();
      const effects = list ? describeEffects(list, changes) : [];
      if (effects.length > 0) undoSteps = [...undoSteps, effects].slice(-MAX_UNDO_STEPS);
      sync.change(changes);
    },
    canUndo: () => undoSteps.length > 0,
    undo: () => {
      const { list } = sync.getStatus();
      const effects = undoSteps.at(-1);
      if (!effects || !list) return;
      undoSteps = undoSteps.slice(0, -1);
      const takenIds = {
        size: list.items.size + list.types.size,
        has: (id: string) => list.items.has(id) || list.types.has(id),
      };
      const { changes, newIdByOldId } = createUndoChanges(effects, list, {
        getCurrentId: resolveId,
        createId: () => generateId(clock.now(), takenIds),
      });
      for (const [oldId, newId] of newIdByOldId) restoredIds.set(oldId, newId);
      // Called even if there are no changes: subscribers must be notified of the removed step.
      sync.change(changes);
    },
  };
}

export interface ListsDeps {
  readonly store: ReplicaStore;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Random id of letters, digits and '-'. */
  readonly createRandomId: () => string;
  readonly onFailure: (error: unknown) => void;
  /** Called when a batch was refused, with the message and the list as the user saw it. */
  readonly onRefused: (message: string, visibleList: List) => void;
}

/** A list with its sync and its undo stack. */
export interface OpenedList {
  readonly sync: Sync;
  readonly replica: PersistedReplica;
  readonly undo: UndoStack;
}

interface RunningList extends OpenedList {
  userCount: number;
}

/** All lists of an account in this page: the menu, and one sync per list that is shown or has unsent changes. */
export interface Lists {
  readonly getPlanner: () => Planner;
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Resolves when the stored lists, and this list (by key or id), are read. The server is not called before `start`.
   */
  readonly load: (name: string | undefined) => Promise<void>;
  /** Starts to sync. Returns a function that stops it. */
  readonly start: () => () => void;
  /** Undefined until the stored lists are read. */
  readonly open: (key: string) => OpenedList | undefined;
  /** Changes a list as one step for undo, even if it was closed in the meantime. */
  readonly getChange: (key: string) => (changes: readonly Change[]) => void;
  /** Counts a user of the list until the returned function is called. */
  readonly retain: (key: string) => () => void;
  /** Call this when the connection is back, or the page is visible again. */
  readonly connect: () => void;
  readonly disconnect: () => void;
  /** Call this when the page may be closed. */
  readonly flush: () => void;
  readonly countUnsent: () => number;
}

const NO_LIST: List = { name: '', items: new Map(), types: new Map(), links: new Map() };
const SERVER_ID_PATTERN = /^\d{1,15}$/;

const isSameSummary = (a: Summary | undefined, b: Summary): boolean =>
  a?.list === b.list && a?.name === b.name && a?.unsent === b.unsent;

export function createLists({ store, transport, clock, createRandomId, onFailure, onRefused }: ListsDeps): Lists {
  const listeners = new Set<() => void>();
  let readPromise: Promise<void> | undefined;
  let isStarted = false;
  const running = new Map<string, RunningList>();
  let menu: Menu | undefined;
  let summaries: ReadonlyMap<string, Summary> = new Map();
  /** Lists that were removed here since the store was read. */
  const removedKeys = new Set<string>();
  let isRead = false;
  let isMenuRequested = false;
  /** Numbers of the last menu request and of the one whose answer is shown: answers can arrive out of order. */
  let lastMenuRequest = 0;
  let shownMenuRequest = 0;
  let isStored = true;
  let isStopped = false;
  let snapshot: Planner | undefined;
  let nameCache: { readonly menu: Menu | undefined; readonly names: ReadonlySet<string> } | undefined;

  function notify(): void {
    snapshot = undefined;
    for (const listener of listeners) listener();
  }
  function getKnownNames(): ReadonlySet<string> {
    if (nameCache === undefined || nameCache.menu !== menu)
      nameCache = { menu, names: new Set(menu?.globalItems.map(({ name }) => name)) };
    return nameCache.names;
  }
  function updateSummary(summary: Summary): void {
    if (removedKeys.has(summary.key) || isSameSummary(summaries.get(summary.key), summary)) return;
    summaries = new Map(summaries).set(summary.key, summary);
    notify();
  }
  /** Returns the key under which a list is stored. A list that was created here keeps its first key. */
  const findKey = (id: number): string => [...summaries.values()].find(({ list }) => list === id)?.key ?? String(id);

  function startList(key: string, createReplica: () => Replica): RunningList {
    const replica = createPersistedReplica({
      store,
      key,
      createReplica,
      onNotStored: () => {
        isStored = false;
        notify();
      },
    });
    const sync = createSync({ replica, transport, clock, getKnownNames, onRefused });
    const undo = createUndoStack(sync, clock);
    if (SERVER_ID_PATTERN.test(key)) removedKeys.delete(key);
    const list: RunningList = { replica, sync, undo, userCount: 0 };
    running.set(key, list);
    replica.subscribe(() => {
      const visible = replica.getVisible();
      if (visible && visible.revision > 0)
        updateSummary({ ...createSummary(key, visible), name: sync.getStatus().list?.name ?? '' });
    });
    if (isStarted) void sync.open();
    return list;
  }

  function open(listName: string): RunningList {
    const key = SERVER_ID_PATTERN.test(listName) ? findKey(Number(listName)) : listName;
    const runningList = running.get(key);
    if (runningList) return runningList;
    const list = summaries.get(key)?.list ?? (SERVER_ID_PATTERN.test(key) ? Number(key) : undefined);
    return startList(key, () => createUnloadedReplica(list, createRandomId(), NO_LIST));
  }

  function sendStored(): void {
    for (const { key, unsent, list } of summaries.values()) if (unsent > 0 || list === undefined) open(key);
  }

  async function readStored(): Promise<void> {
    const [storedSummaries, storedMenu] = await Promise.all([store.listSummaries(), store.readMenu()]).catch(
      () => [[], undefined] as const,
    );
    const newSummaries = new Map(storedSummaries.map((summary) => [summary.key, summary]));
    // An open list is newer than its stored summary.
    for (const key of running.keys()) {
      const summary = summaries.get(key);
      if (summary) newSummaries.set(key, summary);
    }
    for (const key of removedKeys) newSummaries.delete(key);
    summaries = newSummaries;
    menu ??= storedMenu;
    isRead = true;
    notify();
  }

  const readOnce = (): Promise<void> => (readPromise ??= readStored());

  async function checkStorage(): Promise<void> {
    isStored = (await store.isReady) && isStored;
    notify();
  }

  function remove(key: string): void {
    running.get(key)?.sync.stop();
    running.delete(key);
    removedKeys.add(key);
    summaries = new Map([...summaries].filter(([otherKey]) => otherKey !== key));
    void store.change(key, () => undefined).catch(() => undefined);
    notify();
  }

  /** Removes lists that others deleted, unless they have unsent changes or are open. */
  function removeDeleted(newMenu: Menu): void {
    const ids = new Set(newMenu.lists.map(({ id }) => id));
    for (const { key, list, unsent } of summaries.values())
      if (list !== undefined && !ids.has(list) && unsent === 0 && (running.get(key)?.userCount ?? 0) === 0) remove(key);
  }

  async function requestMenu(): Promise<void> {
    const number = (lastMenuRequest += 1);
    try {
      const next = await transport.loadMenu();
      if (isStopped || number < shownMenuRequest) return;
      shownMenuRequest = number;
      menu = next;
      isMenuRequested = true;
      removeDeleted(next);
      notify();
      await store.writeMenu(next).catch(() => undefined);
    } catch (error) {
      isMenuRequested = true;
      notify();
      throw error;
    }
  }
  /** Failures are ignored: the menu is requested again with the next event or connection. */
  const requestMenuQuietly = (): void => void requestMenu().catch(() => undefined);

  const create: Planner['create'] = (source) => {
    const key = `new-${createRandomId()}`;
    const client = createRandomId();
    const { sync } = startList(key, () => createNewReplica(client));
    sync.change(createInitialChanges(source, clock.now()));
    return key;
  };

  function reload(): void {
    void requestMenu().catch(onFailure);
    for (const { sync, userCount } of running.values()) if (userCount > 0) sync.connect();
  }

  function listEntries(): readonly ListEntry[] {
    const menuLists = menu?.lists ?? [];
    const ids = new Set(menuLists.map(({ id }) => id));
    const summaryById = new Map(
      [...summaries.values()].flatMap((summary) => (summary.list === undefined ? [] : [[summary.list, summary]])),
    );
    const unlistedSummaries = [...summaries.values()].filter(({ list, unsent }) =>
      list === undefined ? true : !ids.has(list) && unsent > 0,
    );
    return [
      ...menuLists.map(({ id, name, owner, members, archived }): ListEntry => {
        const summary = summaryById.get(id);
        const isNewer =
          summary !== undefined && (summary.unsent > 0 || running.has(summary.key)) && summary.name !== '';
        return {
          key: summary?.key ?? String(id),
          id,
          name: isNewer ? summary.name : name,
          owner,
          members,
          isArchived: archived,
          unsent: summary?.unsent ?? 0,
        };
      }),
      ...unlistedSummaries.map(({ key, list, name, unsent }): ListEntry => ({
        key,
        id: list,
        name,
        owner: undefined,
        members: 1,
        isArchived: false,
        unsent,
      })),
    ];
  }

  return {
    getPlanner: () =>
      (snapshot ??= {
        lists: listEntries(),
        invitations: menu?.invitations ?? [],
        deleted: menu?.deleted ?? [],
        globalItems: menu?.globalItems ?? [],
        isKnown: true,
        isLoading: menu === undefined && !isMenuRequested && (!isRead || summaries.size === 0),
        isStored,
        offline: 'preparing',
        reload,
        create,
        remove,
      }),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => {
      isStarted = true;
      for (const { sync } of running.values()) void sync.open();
      void readOnce().then(sendStored);
      void checkStorage();
      requestMenuQuietly();
      const unsubscribers = [
        transport.onChanges((list, event) => running.get(findKey(list))?.sync.receive(event)),
        transport.onMenuChange(requestMenuQuietly),
        store.onChange((key) => {
          const list = key === undefined ? undefined : running.get(key);
          if (list) list.replica.refresh();
          else void readStored();
        }),
      ];
      return () => {
        isStopped = true;
        for (const unsubscribe of unsubscribers) unsubscribe();
        for (const { sync } of running.values()) sync.stop();
        running.clear();
        store.close();
      };
    },
    load: async (name) => {
      // Read together with the menu: for most lists, key and id are the same.
      const replicaPromise = name === undefined ? undefined : store.read(name).catch(() => undefined);
      await readOnce();
      await replicaPromise;
      const key = name !== undefined && SERVER_ID_PATTERN.test(name) ? findKey(Number(name)) : name;
      if (key !== undefined && summaries.has(key)) await open(key).replica.open();
    },
    open: (key) => (isRead ? open(key) : undefined),
    getChange: (key) => (changes) => open(key).undo.change(changes),
    retain: (key) => {
      if (!isRead) return () => undefined;
      const list = open(key);
      list.userCount += 1;
      return () => void (list.userCount -= 1);
    },
    connect: () => {
      requestMenuQuietly();
      for (const [key, { sync, replica, userCount }] of running)
        // A new list has no unsent changes until the store is open.
        if (userCount > 0 || replica.isBusy() || sync.getStatus().unsent > 0) sync.connect();
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
    countUnsent: () => [...summaries.values()].reduce((sum, { unsent }) => sum + unsent, 0),
  };
}
