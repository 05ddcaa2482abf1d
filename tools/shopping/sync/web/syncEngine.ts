import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import type { Change, List } from '../../lists/domain/list.ts';
import type { SyncState } from '../../lists/web/plannerTypes.ts';
import {
  answered,
  bodyOf,
  hasGap,
  loaded,
  make,
  refused,
  refusedIn,
  told,
  unsent,
  view,
  type Answer,
  type FrozenBatch,
  type LoadedList,
  type Replica,
  type ListEvent,
} from '../domain/replica.ts';
import { freezeSome, type PersistedReplica } from './persistedReplica.ts';

/** Interval of the sync loop and its resend delays (docs/specification/shopping.md section 4.5), in milliseconds. */
export const TICK = 500;
const FORCED = { freshName: 8_000, knownName: 1_000_000, other: 10_000_000 } as const;

/**
 * Returns when an unacknowledged batch is resent although nothing was added.
 * Soon, if an item has a name new to the server.
 */
export function nextForcedSend(now: number, change: Change, known: ReadonlySet<string>): number {
  if (change.kind !== 'item' || change.field !== 'name') return now + FORCED.other;
  return now + (known.has(String(change.value)) ? FORCED.knownName : FORCED.freshName);
}

/** Returns the backoff in milliseconds after this many consecutive failures (at least 1). */
export function pauseAfter(failures: number): number {
  return 1000 * 2 ** Math.min(3, Math.max(0, failures - 1));
}

export interface SendState {
  readonly isInFlight: boolean;
  readonly hasFrozen: boolean;
  readonly hasPending: boolean;
  readonly forcedAt: number;
  /** Consecutive failures of the frozen batch. */
  readonly failures: number;
  readonly failedAt: number;
}

/** Decides what a tick does. A frozen batch is sent first and unchanged; pending changes wait for its answer. */
export function atTick(now: number, sending: SendState): 'send' | 'resend' | 'wait' {
  const { isInFlight, hasFrozen, hasPending, forcedAt, failures, failedAt } = sending;
  if (isInFlight) return 'wait';
  if (!hasFrozen) return hasPending ? 'send' : 'wait';
  const isDue = now >= forcedAt || (failures > 0 && now >= failedAt + pauseAfter(failures));
  return isDue ? 'resend' : 'wait';
}

/** Time and timers, so that tests can replace them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a function that cancels the timer. */
  readonly after: (ms: number, then: () => void) => () => void;
}

/**
 * Calls to the server. Both reject with a Refusal if the server refused, and with any other error if no answer arrived.
 */
export interface Line {
  readonly send: (body: ReturnType<typeof bodyOf>) => Promise<Answer>;
  readonly load: (list: number, client: string) => Promise<LoadedList>;
}

export interface SyncDeps {
  readonly held: PersistedReplica;
  readonly line: Line;
  readonly clock: Clock;
  /** Item names that the server already knows. */
  readonly names: () => ReadonlySet<string>;
  /** A batch was refused. `seen`: the list as the user saw it, including the refused changes. */
  readonly onRefused: (why: string, seen: List) => void;
}

/** State of the list between this browser and the server. */
export interface SyncStatus {
  readonly list: List | undefined;
  readonly state: SyncState;
  readonly unsent: number;
  /** Number of unsent changes that are stored in the browser. */
  readonly kept: number;
  readonly flashing: ReadonlySet<string>;
  readonly isGone: boolean;
  readonly problem: string | undefined;
}

export interface Sync {
  readonly standing: () => SyncStatus;
  readonly subscribe: (listener: () => void) => () => void;
  readonly replica: () => Replica | undefined;
  readonly keyOf: (id: string) => string;
  readonly change: (changes: readonly Change[]) => void;
  /** Applies an event of this list. */
  readonly hear: (event: ListEvent) => void;
  /** Opens the stored replica and updates it from the server. */
  readonly open: () => Promise<void>;
  /** Loads the whole list again. */
  readonly load: () => Promise<void>;
  /**
   * Call this when the connection is back, or the page is visible again: sends what waits and loads what was missed.
   */
  readonly wake: () => void;
  /** Call this when the connection is down, so that the state is shown without waiting for a call to fail. */
  readonly sleep: () => void;
  /** Sends pending changes without waiting for the next tick, as the page may be closed. */
  readonly flush: () => void;
  readonly stop: () => void;
}

/** Returns whether the server refused for another reason than an ended session, which says nothing about the list. */
const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Refusal && !(error instanceof InvalidTokenRefusal);

/** After this time without an answer the batch may be resent. A late answer is still applied. */
const SEND_TIMEOUT_MS = 10_000;
/** The tab that froze a batch sends it. Other tabs send it after this time, in case that tab was closed. */
const OTHERS_BATCH_MS = 5_000;
const GAP_MS = 1_000;
const FLASH_MS = 600;

const NOTHING: ReadonlySet<string> = new Set();
const NOT_KNOWN = 'This list is not known here';

/** Lists the ids of items and types that an event changes. */
const listTouchedIds = ({ changes }: ListEvent): readonly string[] =>
  changes.flatMap(([[kind, id]]) => (kind !== 'name' && id !== undefined ? [id] : []));

/** Syncs one list: sends batches on a timer, applies answers and events. */
export function createSync({ held, line, clock, names, onRefused }: SyncDeps): Sync {
  const listeners = new Set<() => void>();
  let tick: (() => void) | undefined;
  let gap: (() => void) | undefined;
  let isStopped = false;
  let isDown = false;
  let isGone = false;
  let loading: Promise<void> | undefined;
  let problem: string | undefined;
  let flashing = NOTHING;
  /** Send state of the frozen batch. */
  let sending = { seq: 0, isInFlight: false, forcedAt: 0, failures: 0, failedAt: 0 };
  let standing: SyncStatus | undefined;
  let viewed: { readonly of: Replica; readonly list: List } | undefined;
  let named: { readonly of: Replica['ids']; readonly sent: ReadonlyMap<string, string> } | undefined;

  const notify = (): void => {
    standing = undefined;
    for (const each of listeners) each();
  };
  const seen = (replica: Replica): List => {
    if (viewed?.of !== replica) viewed = { of: replica, list: view(replica) };
    return viewed.list;
  };
  const isOffline = (): boolean => isDown || isGone || sending.failures > 0;
  const countStored = (replica: Replica): number => {
    const storedReplica = held.kept();
    return storedReplica ? Math.min(unsent(storedReplica), unsent(replica)) : 0;
  };
  const getSyncState = (replica: Replica | undefined): SyncState => {
    if (!replica || unsent(replica) === 0) return 'saved';
    return isOffline() && countStored(replica) > 0 ? 'offline' : 'sending';
  };
  const getStatus = (): SyncStatus => {
    const replica = held.shown();
    return (standing ??= {
      list: replica && replica.revision > 0 ? seen(replica) : undefined,
      state: getSyncState(replica),
      unsent: replica ? unsent(replica) : 0,
      kept: replica ? countStored(replica) : 0,
      flashing,
      isGone,
      problem,
    });
  };

  const loadNow = async (): Promise<void> => {
    const replica = await held.open();
    if (replica.list === undefined || isStopped) return;
    try {
      const loadedList = await line.load(replica.list, replica.client);
      isDown = false;
      isGone = false;
      problem = undefined;
      const before = held.shown();
      const refusal = before && refusedIn(before, loadedList);
      if (before && refusal) {
        problem = refusal.why;
        onRefused(refusal.why, seen(before));
      }
      // Batch numbers belong to one client, and the store may contain another client's replica by now.
      await held.run((one) =>
        one.client === replica.client ? loaded(one, loadedList) : loaded(one, { ...loadedList, seq: 0, ids: {} }),
      );
    } catch (error) {
      isGone = isRefusal(error);
      isDown = !isGone;
      // The stored list is shown without a connection too.
      if (isGone || replica.revision === 0) problem = error instanceof Error ? error.message : String(error);
    } finally {
      notify();
      schedule();
    }
  };
  const load = (): Promise<void> =>
    (loading ??= loadNow().finally(() => {
      loading = undefined;
    }));

  const watchGap = (): void => {
    const replica = held.shown();
    const isOpen = replica !== undefined && hasGap(replica);
    if (!isOpen) {
      gap?.();
      gap = undefined;
    } else if (gap === undefined)
      gap = clock.after(GAP_MS, () => {
        gap = undefined;
        void load().then(watchGap);
      });
  };

  const noteFailure = (): void => {
    sending = { ...sending, isInFlight: false, failures: sending.failures + 1, failedAt: clock.now() };
    notify();
    schedule();
  };

  const handleSendError = async (batch: FrozenBatch, error: unknown): Promise<void> => {
    if (!isRefusal(error)) return noteFailure();
    const replica = held.shown();
    const list = replica && seen(replica);
    // A list that can't be created yet is tried again later. A list that no longer exists stays visible.
    if (replica?.list === undefined) {
      problem = error.message;
      isGone = false;
      return noteFailure();
    }
    // A load that is already running may return the state before the refusal.
    await loading;
    await load();
    // Without the current list, the changes stay visible and the batch is tried again.
    if (isGone || isDown) return noteFailure();
    const isNews = held.shown()?.frozen?.seq === batch.seq;
    await held.run((one) => refused(one, batch.seq));
    if (isNews && list) {
      problem = error.message;
      onRefused(error.message, list);
    }
    sending = { ...sending, isInFlight: false, failures: 0 };
    notify();
    schedule();
  };

  const send = async (replica: Replica): Promise<void> => {
    const { frozen, client } = replica;
    if (!frozen || frozen.answered !== undefined) return;
    const isSame = sending.seq === frozen.seq;
    sending = {
      seq: frozen.seq,
      isInFlight: true,
      forcedAt: Math.min(...frozen.changes.map(({ change }) => nextForcedSend(clock.now(), change, names()))),
      failures: isSame ? sending.failures : 0,
      failedAt: 0,
    };
    let isOver = false;
    const stopWaiting = clock.after(SEND_TIMEOUT_MS, () => {
      isOver = true;
      noteFailure();
    });
    try {
      const answer = await line.send(bodyOf(replica, frozen, clock.now()));
      stopWaiting();
      await held.run((one) => (one.client === client ? answered(one, answer) : one));
      isDown = false;
      problem = undefined;
      if (sending.seq === frozen.seq) sending = { ...sending, isInFlight: false, failures: 0 };
      notify();
      schedule();
    } catch (error) {
      stopWaiting();
      if (!isOver) await handleSendError(frozen, error);
    }
  };

  const freezeAndSend = async (): Promise<void> => {
    sending = { ...sending, isInFlight: true, failures: 0 };
    let own = false;
    // Send only after the frozen batch is stored: two tabs must not send two batches under one number.
    const storedReplica = await held.run((one) => {
      const next = freezeSome(one);
      own = next !== one;
      return next;
    });
    sending = { ...sending, isInFlight: false };
    if (isStopped) return;
    if (own) await send(storedReplica);
    else await waitForOtherTab();
  };

  /** Waits for another tab to send its batch. */
  const waitForOtherTab = async (): Promise<void> => {
    const seq = held.shown()?.frozen?.seq;
    if (seq === undefined || sending.seq === seq) return schedule();
    sending = { seq, isInFlight: false, forcedAt: clock.now() + OTHERS_BATCH_MS, failures: 0, failedAt: 0 };
    schedule();
  };

  const runTick = async (): Promise<void> => {
    tick = undefined;
    const replica = held.shown();
    if (!replica || isStopped || isGone) return;
    const { frozen, pending } = replica;
    if (frozen && frozen.seq !== sending.seq && !sending.isInFlight) await waitForOtherTab();
    const action = atTick(clock.now(), {
      ...sending,
      hasFrozen: frozen !== undefined,
      hasPending: pending.length > 0,
    });
    if (action === 'send') await freezeAndSend();
    else if (action === 'resend') await send(replica);
    schedule();
  };

  /** Schedules the next tick of 500 ms, unless nothing is unsent. */
  function schedule(): void {
    const replica = held.shown();
    if (isStopped || tick !== undefined || !replica || unsent(replica) === 0 || isGone) return;
    tick = clock.after(TICK - (clock.now() % TICK), () => void runTick());
  }

  /** Clears 'not known' once another tab, or a write that was still running, has stored the list. */
  const noteKnown = (): void => {
    const replica = held.shown();
    if (problem !== NOT_KNOWN || !replica || replica.revision === 0) return;
    isGone = false;
    problem = undefined;
    if (replica.list !== undefined) void load();
  };

  const unsubscribe = held.subscribe(() => {
    noteKnown();
    notify();
    schedule();
    watchGap();
  });

  const resend = (): void => {
    const replica = held.shown();
    if (!replica || isStopped || isGone) return;
    if (replica.frozen && !sending.isInFlight) void send(replica);
    else if (!replica.frozen && !sending.isInFlight && replica.pending.length > 0) void freezeAndSend();
  };

  const flash = (ids: readonly string[]): void => {
    if (ids.length === 0) return;
    flashing = new Set([...flashing, ...ids]);
    notify();
    clock.after(FLASH_MS, () => {
      flashing = new Set([...flashing].filter((id) => !ids.includes(id)));
      if (!isStopped) notify();
    });
  };

  const storeChanges = async (changes: readonly Change[]): Promise<void> => {
    const at = clock.now();
    await held.run((one) => make(one, changes, at));
    // While connected, no indicator depends on what is stored here.
    if (isOffline()) notify();
  };

  return {
    standing: getStatus,
    subscribe: (each) => {
      listeners.add(each);
      return () => listeners.delete(each);
    },
    replica: held.shown,
    keyOf: (id) => {
      const ids = held.shown()?.ids;
      if (!ids) return id;
      if (named?.of !== ids) named = { of: ids, sent: new Map([...ids].map(([sent, serverId]) => [serverId, sent])) };
      return named.sent.get(id) ?? id;
    },
    change: (changes) => void storeChanges(changes),
    hear: (event) => {
      const replica = held.shown();
      void held.run((one) => told(one, event));
      if (replica && event.client !== replica.client) flash(listTouchedIds(event));
    },
    open: async () => {
      const replica = await held.open();
      notify();
      if (replica.frozen) void send(replica);
      if (replica.list !== undefined) return load();
      // The list was created in another browser, and only that one knows this key.
      isGone = (held.shown() ?? replica).revision === 0;
      if (isGone) problem = NOT_KNOWN;
      notify();
      return schedule();
    },
    load,
    wake: () => {
      if (isStopped) return;
      isDown = false;
      resend();
      void load();
    },
    sleep: () => {
      isDown = true;
      notify();
    },
    flush: resend,
    stop: () => {
      isStopped = true;
      tick?.();
      gap?.();
      unsubscribe();
    },
  };
}
