import { LIMITS } from '../../lists/domain/list.ts';
import { type Replica, bodyOf, freeze } from '../domain/replica.ts';
import { createMemoryReplicaStore, type ReplicaStore, type StoredReplica } from './replicaStore.ts';

/** The server accepts bodies of 256 KiB, which contain more than the changes. */
const MAX_BATCH_BYTES = 200 * 1024;
const MAX_BATCH_CHANGES = LIMITS.changes / 2;

const measureBatch = (replica: Replica): number => {
  const { frozen } = replica;
  return frozen ? new Blob([JSON.stringify(bodyOf(replica, frozen, 0))]).size : 0;
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
  readonly done: (kept: Replica) => void;
}

/** A list's replica as this page shows it: the stored one, plus the steps that are not stored yet. */
export interface PersistedReplica {
  /** The visible replica; undefined until it is read. */
  readonly shown: () => StoredReplica;
  /** The stored replica: what would remain if the page closed now. */
  readonly kept: () => StoredReplica;
  /** Reads the stored replica, or starts with `fresh` if there is none. */
  readonly open: () => Promise<Replica>;
  /**
   * Runs a step. It is visible immediately; the promise resolves with the stored replica, including other tabs' steps.
   * Steps are stored in the order in which they were made.
   */
  readonly run: (step: Step) => Promise<Replica>;
  /** Call this when another tab has changed the stored replica. */
  readonly refresh: () => void;
  /** Whether a read or write is running; until it ends, the number of unsent changes is not certain. */
  readonly isBusy: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

interface PersistedReplicaDeps {
  readonly keep: ReplicaStore;
  readonly key: string;
  readonly fresh: () => Replica;
  /** The browser refused to store the replica: from now on it lasts as long as the page. */
  readonly onUnkept: () => void;
}

const applyStep = (pendingStep: PendingStep, replica: Replica): Replica => {
  if (replica !== pendingStep.from) {
    pendingStep.to = pendingStep.step(replica);
    pendingStep.from = replica;
  }
  return pendingStep.to;
};

export function createPersistedReplica({
  keep: initialStore,
  key,
  fresh,
  onUnkept,
}: PersistedReplicaDeps): PersistedReplica {
  let keep = initialStore;
  let first: Replica | undefined;
  let kept: StoredReplica;
  let shown: StoredReplica;
  let queue: readonly PendingStep[] = [];
  let isInStore = false;
  let stale = true;
  let working: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  const updateShown = (): void => {
    const next = kept && queue.reduce((replica, pendingStep) => applyStep(pendingStep, replica), kept);
    if (next === shown) return;
    shown = next;
    for (const listener of listeners) listener();
  };
  const getFirst = (): Replica => (first ??= fresh());
  /**
   * A replica that is missing from the store was removed by another tab, with its unsent batch.
   * Continue as a new client.
   */
  const resolveStored = (stored: StoredReplica): Replica => {
    if (stored) return stored;
    if (!kept || !isInStore) return kept ?? getFirst();
    isInStore = false;
    const { list, base, revision, ids } = kept;
    return { ...fresh(), list, base, revision, ids };
  };

  /** Removes the list from a store that rejects changes, so that no other tab sends the same batch number. */
  const leaveStore = async (): Promise<void> => {
    let last = kept;
    await keep
      .change(key, (stored) => {
        last = stored ?? last;
        return undefined;
      })
      // A store that can't even delete is not read again either.
      .catch(() => undefined);
    keep = createMemoryReplicaStore();
    isInStore = false;
    const replica = last;
    if (replica) await keep.change(key, () => replica);
    onUnkept();
  };

  const storeSteps = async (steps: readonly PendingStep[]): Promise<void> => {
    const change = (stored: StoredReplica): StoredReplica =>
      steps.reduce((replica, pendingStep) => applyStep(pendingStep, replica), resolveStored(stored));
    try {
      const stored = await (steps.length > 0 ? keep.change(key, change) : keep.read(key));
      kept = resolveStored(stored);
      isInStore = stored !== undefined;
    } catch {
      await leaveStore();
      kept = resolveStored(await keep.change(key, change));
    }
  };

  const work = async (): Promise<void> => {
    while (stale || queue.length > 0) {
      stale = false;
      const steps = queue;
      await storeSteps(steps);
      queue = queue.slice(steps.length);
      updateShown();
      const now = kept;
      if (now) for (const { done } of steps) done(now);
    }
  };
  const startDraining = (): Promise<void> =>
    (working ??= work().finally(() => {
      working = undefined;
      if (stale || queue.length > 0) void startDraining();
    }));

  return {
    shown: () => shown,
    kept: () => kept,
    open: async () => {
      if (!shown) await startDraining();
      return shown ?? getFirst();
    },
    run: (step) =>
      new Promise((done) => {
        const before = shown ?? getFirst();
        queue = [...queue, { step, from: before, to: step(before), done }];
        updateShown();
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
