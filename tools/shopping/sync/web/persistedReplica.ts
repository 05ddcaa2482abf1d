import { LIMITS } from '../../lists/domain/list.ts';
import { type Replica, bodyOf, freeze } from '../domain/replica.ts';
import { createMemoryReplicaStore, type ReplicaStore, type StoredReplica } from './replicaStore.ts';

/** Of a body of 256 KiB, which holds more than the changes. */
const MAX_BATCH_BYTES = 200 * 1024;
const MAX_BATCH_CHANGES = LIMITS.changes / 2;

const bytesOf = (replica: Replica): number => {
  const { frozen } = replica;
  return frozen ? new Blob([JSON.stringify(bodyOf(replica, frozen, 0))]).size : 0;
};

/** Freezes as much of what is pending as one call takes; the rest stays pending. */
export function freezeSome(replica: Replica): Replica {
  const { pending } = replica;
  const first = (count: number): Replica => ({
    ...freeze({ ...replica, pending: pending.slice(0, count) }),
    pending: pending.slice(count),
  });
  if (replica.frozen !== undefined || pending.length === 0) return replica;
  let count = Math.min(pending.length, MAX_BATCH_CHANGES);
  let next = first(count);
  // Few changes cannot be too large: texts have their limits. The count saves measuring nearly all of them.
  while (count > 50 && bytesOf(next) > MAX_BATCH_BYTES) next = first((count = Math.ceil(count / 2)));
  return next;
}

export type Step = (replica: Replica) => Replica;

/** A step that was made here and is not kept yet, with what it made of what: where what is kept is just that it need not run again. */
interface PendingStep {
  readonly step: Step;
  from: Replica;
  to: Replica;
  readonly done: (kept: Replica) => void;
}

/** One list's replica as this page shows it: what is kept, with the steps on top that are still being kept. */
export interface PersistedReplica {
  /** Undefined until it is read. */
  readonly shown: () => StoredReplica;
  /** What of it would be there if the page ended now. */
  readonly kept: () => StoredReplica;
  /** Reads it, or begins with `fresh` where nothing is kept. */
  readonly open: () => Promise<Replica>;
  /** Shown at once. Gives what is kept, others' steps included, once this one is. Steps are kept in the order in which they were made. */
  readonly run: (step: Step) => Promise<Replica>;
  /** Another tab has changed what is kept. */
  readonly refresh: () => void;
  /** Whether something is still being read or written: only then is it known what there is to send. */
  readonly isBusy: () => boolean;
  readonly subscribe: (tell: () => void) => () => void;
}

interface PersistedReplicaDeps {
  readonly keep: ReplicaStore;
  readonly key: string;
  readonly fresh: () => Replica;
  /** The browser refused to keep it: from now on it lasts as long as the page. */
  readonly onUnkept: () => void;
}

const applied = (waiting: PendingStep, replica: Replica): Replica => {
  if (replica !== waiting.from) {
    waiting.to = waiting.step(replica);
    waiting.from = replica;
  }
  return waiting.to;
};

export function createPersistedReplica({ keep: given, key, fresh, onUnkept }: PersistedReplicaDeps): PersistedReplica {
  let keep = given;
  let first: Replica | undefined;
  let kept: StoredReplica;
  let shown: StoredReplica;
  let queue: readonly PendingStep[] = [];
  let isInStore = false;
  let stale = true;
  let working: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  const show = (): void => {
    const next = kept && queue.reduce((replica, waiting) => applied(waiting, replica), kept);
    if (next === shown) return;
    shown = next;
    for (const tell of listeners) tell();
  };
  const begun = (): Replica => (first ??= fresh());
  /** What is gone from the store went with another tab, with its client and what it had not sent: here it goes on as another client. */
  const from = (found: StoredReplica): Replica => {
    if (found) return found;
    if (!kept || !isInStore) return kept ?? begun();
    isInStore = false;
    const { list, base, revision, ids } = kept;
    return { ...fresh(), list, base, revision, ids };
  };

  /** Takes the list out of a store that does not take changes, so that no other tab sends the same ones under the same number. */
  const leaveStore = async (): Promise<void> => {
    let last = kept;
    await keep
      .change(key, (found) => {
        last = found ?? last;
        return undefined;
      })
      // A store that does not even forget is not read again either.
      .catch(() => undefined);
    keep = createMemoryReplicaStore();
    isInStore = false;
    const replica = last;
    if (replica) await keep.change(key, () => replica);
    onUnkept();
  };

  const keepNow = async (steps: readonly PendingStep[]): Promise<void> => {
    const change = (found: StoredReplica): StoredReplica =>
      steps.reduce((replica, waiting) => applied(waiting, replica), from(found));
    try {
      const found = await (steps.length > 0 ? keep.change(key, change) : keep.read(key));
      kept = from(found);
      isInStore = found !== undefined;
    } catch {
      await leaveStore();
      kept = from(await keep.change(key, change));
    }
  };

  const work = async (): Promise<void> => {
    while (stale || queue.length > 0) {
      stale = false;
      const steps = queue;
      await keepNow(steps);
      queue = queue.slice(steps.length);
      show();
      const now = kept;
      if (now) for (const { done } of steps) done(now);
    }
  };
  const drain = (): Promise<void> =>
    (working ??= work().finally(() => {
      working = undefined;
      if (stale || queue.length > 0) void drain();
    }));

  return {
    shown: () => shown,
    kept: () => kept,
    open: async () => {
      if (!shown) await drain();
      return shown ?? begun();
    },
    run: (step) =>
      new Promise((done) => {
        const before = shown ?? begun();
        queue = [...queue, { step, from: before, to: step(before), done }];
        show();
        void drain();
      }),
    refresh: () => {
      stale = true;
      void drain();
    },
    isBusy: () => working !== undefined || queue.length > 0,
    subscribe: (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
  };
}
