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

/** What the menu needs to know of a stored list without opening it. */
export interface Summary {
  readonly key: string;
  /** The server's id; undefined until the list is created. */
  readonly list: number | undefined;
  readonly name: string;
  readonly unsent: number;
}

export function createSummary(key: string, replica: Replica): Summary {
  return {
    key,
    list: replica.list,
    name: getVisibleList(replica).name,
    unsent: countUnsent(replica),
  };
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
  readonly onChange: (then: (key: string | undefined) => void) => () => void;
  /** Whether stored data outlives the page; resolves when the store is open. */
  readonly isReady: Promise<boolean>;
  readonly close: () => void;
}

/** Replaces the browser's database if it is not available: lasts as long as the page, and other tabs don't see it. */
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

/** Far below what the server accepts, so that a batch gets through a bad connection. */
const MAX_BATCH_BYTES = 200 * 1024;
const MAX_BATCH_CHANGES = LIMITS.changes / 2;

const measureBatch = (replica: Replica): number => {
  const { frozen } = replica;
  return frozen ? new Blob([JSON.stringify(toRequestBody(replica, frozen, 0))]).size : 0;
};

/** Freezes as many pending changes as fit into one call; the rest stays pending. */
export function freezeSome(replica: Replica): Replica {
  const { pending } = replica;
  const first = (count: number): Replica => ({
    ...freeze({ ...replica, pending: pending.slice(0, count) }),
    pending: pending.slice(count),
  });
  if (replica.frozen !== undefined || pending.length === 0) return replica;
  let count = Math.min(pending.length, MAX_BATCH_CHANGES);
  let next = first(count);
  // Few changes always fit, as texts are limited. Skipping them avoids measuring almost every batch.
  while (count > 50 && measureBatch(next) > MAX_BATCH_BYTES) next = first((count = Math.ceil(count / 2)));
  return next;
}

export type Step = (replica: Replica) => Replica;

/**
 * A step that is not stored yet, with its last input and output. While the stored replica equals `from`, `to` is valid.
 */
interface PendingStep {
  readonly step: Step;
  from: Replica;
  to: Replica;
  readonly onStored: (stored: Replica) => void;
}

/** A list's replica as this page shows it: the stored one, plus the steps that are not stored yet. */
export interface PersistedReplica {
  /** Undefined until it is read. */
  readonly getVisible: () => StoredReplica;
  /** The stored replica: what would remain if the page closed now. */
  readonly getStored: () => StoredReplica;
  /** Reads the stored replica, or starts with `fresh` if there is none. */
  readonly open: () => Promise<Replica>;
  /**
   * Changes the replica. The change is visible immediately; the promise resolves with the stored replica, including
   * other tabs' steps.
   * Steps are stored in the order in which they were made.
   */
  readonly update: (step: Step) => Promise<Replica>;
  /** Call this when another tab has changed the stored replica. */
  readonly refresh: () => void;
  /** Whether a read or write is running; until it ends, the number of unsent changes is not certain. */
  readonly isBusy: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

interface PersistedReplicaDeps {
  readonly store: ReplicaStore;
  readonly key: string;
  readonly fresh: () => Replica;
  /** The browser refused to store the replica: from now on it lasts as long as the page. */
  readonly onNotStored: () => void;
}

const applyStep = (pendingStep: PendingStep, replica: Replica): Replica => {
  if (replica !== pendingStep.from) {
    pendingStep.to = pendingStep.step(replica);
    pendingStep.from = replica;
  }
  return pendingStep.to;
};

export function createPersistedReplica({
  store: initialStore,
  key,
  fresh,
  onNotStored,
}: PersistedReplicaDeps): PersistedReplica {
  let store = initialStore;
  let first: Replica | undefined;
  let stored: StoredReplica;
  let visible: StoredReplica;
  let queue: readonly PendingStep[] = [];
  let isInStore = false;
  let stale = true;
  let working: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  const updateVisible = (): void => {
    const next = stored && queue.reduce((replica, pendingStep) => applyStep(pendingStep, replica), stored);
    if (next === visible) return;
    visible = next;
    for (const listener of listeners) listener();
  };
  const getFirst = (): Replica => (first ??= fresh());
  /**
   * A replica that is missing from the store was removed by another tab, with its unsent batch.
   * Continue as a new client.
   */
  const resolveStored = (read: StoredReplica): Replica => {
    if (read) return read;
    if (!stored || !isInStore) return stored ?? getFirst();
    isInStore = false;
    const { list, base, revision, ids } = stored;
    return { ...fresh(), list, base, revision, ids };
  };

  /** Removes the list from a store that rejects changes, so that no other tab sends the same batch number. */
  const leaveStore = async (): Promise<void> => {
    let last = stored;
    await store
      .change(key, (read) => {
        last = read ?? last;
        return undefined;
      })
      // A store that can't even delete is not read again either.
      .catch(() => undefined);
    store = createMemoryReplicaStore();
    isInStore = false;
    const replica = last;
    if (replica) await store.change(key, () => replica);
    onNotStored();
  };

  const storeSteps = async (steps: readonly PendingStep[]): Promise<void> => {
    const change = (read: StoredReplica): StoredReplica =>
      steps.reduce((replica, pendingStep) => applyStep(pendingStep, replica), resolveStored(read));
    try {
      const read = await (steps.length > 0 ? store.change(key, change) : store.read(key));
      stored = resolveStored(read);
      isInStore = read !== undefined;
    } catch {
      await leaveStore();
      stored = resolveStored(await store.change(key, change));
    }
  };

  const work = async (): Promise<void> => {
    while (stale || queue.length > 0) {
      stale = false;
      const steps = queue;
      await storeSteps(steps);
      queue = queue.slice(steps.length);
      updateVisible();
      const now = stored;
      if (now) for (const { onStored } of steps) onStored(now);
    }
  };
  const startDraining = (): Promise<void> =>
    (working ??= work().finally(() => {
      working = undefined;
      if (stale || queue.length > 0) void startDraining();
    }));

  return {
    getVisible: () => visible,
    getStored: () => stored,
    open: async () => {
      if (!visible) await startDraining();
      return visible ?? getFirst();
    },
    update: (step) =>
      new Promise((onStored) => {
        const before = visible ?? getFirst();
        queue = [...queue, { step, from: before, to: step(before), onStored }];
        updateVisible();
        void startDraining();
      }),
    refresh: () => {
      stale = true;
      void startDraining();
    },
    isBusy: () => working !== undefined || queue.length > 0,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
