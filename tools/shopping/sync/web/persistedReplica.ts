import type { GlobalItem } from '../../lists/domain/itemNames.ts';
import { LIMITS } from '../../lists/domain/list.ts';
import { type Replica, toRequestBody, freeze, countUnsent, getVisibleList } from '../domain/replica.ts';

/** Content of the menu, as the server last sent it. */
export interface Menu {
  readonly lists: readonly {
    readonly id: number;
    readonly name: string;
    readonly owner?: string | undefined;
    readonly members: number;
    readonly archived: boolean;
  }[];
  readonly invitations: readonly { readonly id: number; readonly name: string; readonly from: string }[];
  readonly deleted: readonly { readonly id: number; readonly name: string }[];
  readonly globalItems: readonly GlobalItem[];
}

/** The data of a stored list that the menu shows without opening it. */
export interface Summary {
  readonly key: string;
  /** The server's id; undefined until the list is created. */
  readonly list: number | undefined;
  readonly name: string;
  readonly unsent: number;
}

export function createSummary(key: string, replica: Replica): Summary {
  return { key, list: replica.list, name: getVisibleList(replica).name, unsent: countUnsent(replica) };
}

export type StoredReplica = Replica | undefined;

/** Replicas of one account in this browser. All tabs share them, so a change is a function of the stored replica. */
export interface ReplicaStore {
  readonly listSummaries: () => Promise<readonly Summary[]>;
  readonly read: (key: string) => Promise<StoredReplica>;
  /**
   * Reads, changes and writes atomically; undefined removes the replica.
   * Returns what is stored, rejects if writing fails.
   */
  readonly change: (key: string, change: (stored: StoredReplica) => StoredReplica) => Promise<StoredReplica>;
  readonly readMenu: () => Promise<Menu | undefined>;
  readonly writeMenu: (menu: Menu) => Promise<void>;
  /**
   * Calls back when another tab changes a list (its key) or the menu (undefined). Returns a function that unsubscribes.
   */
  readonly onChange: (listener: (key: string | undefined) => void) => () => void;
  /** Whether stored data outlives the page; resolves when the store is open. */
  readonly isReady: Promise<boolean>;
  readonly close: () => void;
}

/** Creates a store without IndexedDB. It lasts as long as the page, and other tabs don't see it. */
export function createMemoryReplicaStore(): ReplicaStore {
  const replicas = new Map<string, Replica>();
  let menu: Menu | undefined;
  return {
    isReady: Promise.resolve(false),
    close: () => undefined,
    listSummaries: async () => [...replicas].map(([key, replica]) => createSummary(key, replica)),
    read: async (key) => replicas.get(key),
    change: async (key, change) => {
      const next = change(replicas.get(key));
      if (next) replicas.set(key, next);
      else replicas.delete(key);
      return next;
    },
    readMenu: async () => menu,
    writeMenu: async (next) => void (menu = next),
    onChange: () => () => undefined,
  };
}

/** Much less than the server accepts, so that a batch gets through a bad connection. */
const MAX_BATCH_BYTES = 200 * 1024;
const MAX_BATCH_CHANGES = LIMITS.changes / 2;

function measureBatch(replica: Replica): number {
  const { frozen } = replica;
  return frozen ? new Blob([JSON.stringify(toRequestBody(replica, frozen, 0))]).size : 0;
}

/** Freezes as many pending changes as fit into one call. The rest stays pending. */
export function freezeNextBatch(replica: Replica): Replica {
  const { pending } = replica;
  const freezeFirst = (count: number): Replica => ({
    ...freeze({ ...replica, pending: pending.slice(0, count) }),
    pending: pending.slice(count),
  });
  if (replica.frozen !== undefined || pending.length === 0) return replica;
  let count = Math.min(pending.length, MAX_BATCH_CHANGES);
  let next = freezeFirst(count);
  // Few changes always fit, as texts are limited. Skipping them avoids measuring almost every batch.
  while (count > 50 && measureBatch(next) > MAX_BATCH_BYTES) next = freezeFirst((count = Math.ceil(count / 2)));
  return next;
}

export type ReplicaStep = (replica: Replica) => Replica;

/** A step that is not stored yet, with its last input and output. `to` is valid while the stored replica is `from`. */
interface PendingStep {
  readonly step: ReplicaStep;
  from: Replica;
  to: Replica;
  readonly onStored: (stored: Replica) => void;
}

/** A list's replica as this page shows it: the stored one, with the steps that are not stored yet. */
export interface PersistedReplica {
  /** Undefined until it is read. */
  readonly getVisible: () => StoredReplica;
  /** The stored replica: what would remain if the page closed now. */
  readonly getStored: () => StoredReplica;
  /** Reads the stored replica, or creates one if there is none. */
  readonly open: () => Promise<Replica>;
  /**
   * Changes the replica. The change is visible immediately; the promise resolves with the stored replica, including
   * other tabs' steps.
   * Steps are stored in the order in which they were made.
   */
  readonly update: (step: ReplicaStep) => Promise<Replica>;
  /** Call this when another tab has changed the stored replica. */
  readonly refresh: () => void;
  /** Whether a read or write is running; until it ends, the number of unsent changes is not certain. */
  readonly isBusy: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

interface PersistedReplicaDeps {
  readonly store: ReplicaStore;
  readonly key: string;
  readonly createReplica: () => Replica;
  /** The browser refused to store the replica: from now on it lasts as long as the page. */
  readonly onNotStored: () => void;
}

function applyStep(pendingStep: PendingStep, replica: Replica): Replica {
  if (replica !== pendingStep.from) {
    pendingStep.to = pendingStep.step(replica);
    pendingStep.from = replica;
  }
  return pendingStep.to;
}

export function createPersistedReplica(deps: PersistedReplicaDeps): PersistedReplica {
  const { store: initialStore, key, createReplica, onNotStored } = deps;
  let store = initialStore;
  let initial: Replica | undefined;
  let stored: StoredReplica;
  let visible: StoredReplica;
  let queue: readonly PendingStep[] = [];
  let isInStore = false;
  let isStale = true;
  let drainPromise: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  function updateVisible(): void {
    const next = stored && queue.reduce((replica, pendingStep) => applyStep(pendingStep, replica), stored);
    if (next === visible) return;
    visible = next;
    for (const listener of listeners) listener();
  }
  const getInitial = (): Replica => (initial ??= createReplica());
  /**
   * A replica that is missing from the store was removed by another tab, with its unsent batch.
   * Continue as a new client.
   */
  function resolveStored(readReplica: StoredReplica): Replica {
    if (readReplica) return readReplica;
    if (!stored || !isInStore) return stored ?? getInitial();
    isInStore = false;
    const { list, base, revision, ids } = stored;
    return { ...createReplica(), list, base, revision, ids };
  }

  /** Removes the list from a store that rejects changes, so that no other tab sends the same batch number. */
  async function switchToMemory(): Promise<void> {
    let last = stored;
    await store
      .change(key, (readReplica) => {
        last = readReplica ?? last;
        return undefined;
      })
      // A store that can't even delete is not read again either.
      .catch(() => undefined);
    store = createMemoryReplicaStore();
    isInStore = false;
    const replica = last;
    if (replica) await store.change(key, () => replica);
    onNotStored();
  }

  async function storeSteps(steps: readonly PendingStep[]): Promise<void> {
    const change = (readReplica: StoredReplica): StoredReplica =>
      steps.reduce((replica, pendingStep) => applyStep(pendingStep, replica), resolveStored(readReplica));
    try {
      const readReplica = await (steps.length > 0 ? store.change(key, change) : store.read(key));
      stored = resolveStored(readReplica);
      isInStore = readReplica !== undefined;
    } catch {
      await switchToMemory();
      stored = resolveStored(await store.change(key, change));
    }
  }

  async function drain(): Promise<void> {
    while (isStale || queue.length > 0) {
      isStale = false;
      const steps = queue;
      await storeSteps(steps);
      queue = queue.slice(steps.length);
      updateVisible();
      const replica = stored;
      if (replica) for (const { onStored } of steps) onStored(replica);
    }
  }
  const startDraining = (): Promise<void> =>
    (drainPromise ??= drain().finally(() => {
      drainPromise = undefined;
      if (isStale || queue.length > 0) void startDraining();
    }));

  return {
    getVisible: () => visible,
    getStored: () => stored,
    open: async () => {
      if (!visible) await startDraining();
      return visible ?? getInitial();
    },
    update: (step) =>
      new Promise((onStored) => {
        const before = visible ?? getInitial();
        queue = [...queue, { step, from: before, to: step(before), onStored }];
        updateVisible();
        void startDraining();
      }),
    refresh: () => {
      isStale = true;
      void startDraining();
    },
    isBusy: () => drainPromise !== undefined || queue.length > 0,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
