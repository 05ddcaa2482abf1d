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

/** The loop of sending (specification 1, section 3), in milliseconds of the browser's clock. */
export const TICK = 500;
const FORCED = { freshName: 8_000, knownName: 1_000_000, other: 10_000_000 } as const;

/** When an unanswered batch goes out again although nothing was added: soon after an item got a name that the server may not know yet. */
export function nextForcedSend(now: number, change: Change, known: ReadonlySet<string>): number {
  if (change.kind !== 'item' || change.field !== 'name') return now + FORCED.other;
  return now + (known.has(String(change.value)) ? FORCED.knownName : FORCED.freshName);
}

/** How long to wait after a batch has failed so many times, 1 or more, on end. */
export function pauseAfter(failures: number): number {
  return 1000 * 2 ** Math.min(3, Math.max(0, failures - 1));
}

export interface SendState {
  readonly isInFlight: boolean;
  readonly hasFrozen: boolean;
  readonly hasPending: boolean;
  readonly forcedAt: number;
  /** Of the frozen batch, on end. */
  readonly failures: number;
  readonly failedAt: number;
}

/** What a tick does: a frozen batch goes out first, word for word, and what is pending waits for its answer. */
export function atTick(now: number, sending: SendState): 'send' | 'resend' | 'wait' {
  const { isInFlight, hasFrozen, hasPending, forcedAt, failures, failedAt } = sending;
  if (isInFlight) return 'wait';
  if (!hasFrozen) return hasPending ? 'send' : 'wait';
  const isDue = now >= forcedAt || (failures > 0 && now >= failedAt + pauseAfter(failures));
  return isDue ? 'resend' : 'wait';
}

/** Time, and how to wait for it: a test has its own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Gives back how to stop waiting. */
  readonly after: (ms: number, then: () => void) => () => void;
}

/** What the sync asks of the server. Both reject with a Refusal where the server said no, with anything else where nothing came back. */
export interface Line {
  readonly send: (body: ReturnType<typeof bodyOf>) => Promise<Answer>;
  readonly load: (list: number, client: string) => Promise<LoadedList>;
}

export interface SyncDeps {
  readonly held: PersistedReplica;
  readonly line: Line;
  readonly clock: Clock;
  /** Names that the server knows already. */
  readonly names: () => ReadonlySet<string>;
  /** A batch was refused: `seen` is what the person saw, what it said among it. */
  readonly onRefused: (why: string, seen: List) => void;
}

/** How the list stands between this browser and the server. */
export interface SyncStatus {
  readonly list: List | undefined;
  readonly state: SyncState;
  readonly unsent: number;
  /** So many of the unsent changes are in the browser's store. */
  readonly kept: number;
  readonly flashing: ReadonlySet<string>;
  readonly isGone: boolean;
  readonly problem: string | undefined;
}

export interface Sync {
  readonly standing: () => SyncStatus;
  readonly subscribe: (tell: () => void) => () => void;
  readonly replica: () => Replica | undefined;
  readonly keyOf: (id: string) => string;
  readonly change: (changes: readonly Change[]) => void;
  /** An event of this list. */
  readonly hear: (event: ListEvent) => void;
  /** Opens what is kept, and brings it up to date. */
  readonly open: () => Promise<void>;
  /** Asks for the whole list again. */
  readonly load: () => Promise<void>;
  /** The line is back, or the page is seen again: what waits goes out now, and what was missed is asked for. */
  readonly wake: () => void;
  /** The line is down: nobody needs to wait for a call that fails. */
  readonly sleep: () => void;
  /** Sends what is pending without waiting for the next tick: the page may not live that long. */
  readonly flush: () => void;
  readonly stop: () => void;
}

/** The server said no, and not because the session has ended: that says nothing of the list. */
const isNo = (error: unknown): error is Refusal => error instanceof Refusal && !(error instanceof InvalidTokenRefusal);

/** A call that takes this long has met a line that swallows: the batch may go out again. A late answer is taken all the same. */
const SEND_TIMEOUT_MS = 10_000;
/** The tab that froze a batch sends it; another one does where that tab has been closed. */
const OTHERS_BATCH_MS = 5_000;
const GAP_MS = 1_000;
const FLASH_MS = 600;

const NOTHING: ReadonlySet<string> = new Set();
const NOT_KNOWN = 'This list is not known here';

/** Items and types that an event names, by id. */
const touchedBy = ({ changes }: ListEvent): readonly string[] =>
  changes.flatMap(([[kind, id]]) => (kind !== 'name' && id !== undefined ? [id] : []));

/** Drives one list: its loop of sending, its answers, its events. */
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
  /** Of the frozen batch: how its sending stands. */
  let sending = { seq: 0, isInFlight: false, forcedAt: 0, failures: 0, failedAt: 0 };
  let standing: SyncStatus | undefined;
  let viewed: { readonly of: Replica; readonly list: List } | undefined;
  let named: { readonly of: Replica['ids']; readonly sent: ReadonlyMap<string, string> } | undefined;

  const tell = (): void => {
    standing = undefined;
    for (const each of listeners) each();
  };
  const seen = (replica: Replica): List => {
    if (viewed?.of !== replica) viewed = { of: replica, list: view(replica) };
    return viewed.list;
  };
  const isOffline = (): boolean => isDown || isGone || sending.failures > 0;
  const keptOf = (replica: Replica): number => {
    const kept = held.kept();
    return kept ? Math.min(unsent(kept), unsent(replica)) : 0;
  };
  const stateOf = (replica: Replica | undefined): SyncState => {
    if (!replica || unsent(replica) === 0) return 'saved';
    return isOffline() && keptOf(replica) > 0 ? 'offline' : 'sending';
  };
  const now = (): SyncStatus => {
    const replica = held.shown();
    return (standing ??= {
      list: replica && replica.revision > 0 ? seen(replica) : undefined,
      state: stateOf(replica),
      unsent: replica ? unsent(replica) : 0,
      kept: replica ? keptOf(replica) : 0,
      flashing,
      isGone,
      problem,
    });
  };

  const loadNow = async (): Promise<void> => {
    const replica = await held.open();
    if (replica.list === undefined || isStopped) return;
    try {
      const whole = await line.load(replica.list, replica.client);
      isDown = false;
      isGone = false;
      problem = undefined;
      const before = held.shown();
      const no = before && refusedIn(before, whole);
      if (before && no) {
        problem = no.why;
        onRefused(no.why, seen(before));
      }
      // The number of a batch and what becomes of it belong to one client: the store may have another one's by now.
      await held.run((one) =>
        one.client === replica.client ? loaded(one, whole) : loaded(one, { ...whole, seq: 0, ids: {} }),
      );
    } catch (error) {
      isGone = isNo(error);
      isDown = !isGone;
      // What is kept is shown with no line as well.
      if (isGone || replica.revision === 0) problem = error instanceof Error ? error.message : String(error);
    } finally {
      tell();
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

  const failed = (): void => {
    sending = { ...sending, isInFlight: false, failures: sending.failures + 1, failedAt: clock.now() };
    tell();
    schedule();
  };

  const say = async (batch: FrozenBatch, error: unknown): Promise<void> => {
    if (!isNo(error)) return failed();
    const replica = held.shown();
    const list = replica && seen(replica);
    // A list that is to be made may be made once there is room for it; one that is gone keeps what is seen.
    if (replica?.list === undefined) {
      problem = error.message;
      isGone = false;
      return failed();
    }
    // One that was on its way already may tell of the time before.
    await loading;
    await load();
    // Gone, or not known: what was changed stays in sight.
    if (isGone || isDown) return failed();
    const isNews = held.shown()?.frozen?.seq === batch.seq;
    await held.run((one) => refused(one, batch.seq));
    if (isNews && list) {
      problem = error.message;
      onRefused(error.message, list);
    }
    sending = { ...sending, isInFlight: false, failures: 0 };
    tell();
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
      failed();
    });
    try {
      const answer = await line.send(bodyOf(replica, frozen, clock.now()));
      stopWaiting();
      await held.run((one) => (one.client === client ? answered(one, answer) : one));
      isDown = false;
      problem = undefined;
      if (sending.seq === frozen.seq) sending = { ...sending, isInFlight: false, failures: 0 };
      tell();
      schedule();
    } catch (error) {
      stopWaiting();
      if (!isOver) await say(frozen, error);
    }
  };

  const freezeAndSend = async (): Promise<void> => {
    sending = { ...sending, isInFlight: true, failures: 0 };
    let own = false;
    // Sent only when it is kept as frozen: two tabs must not send two batches under one number.
    const kept = await held.run((one) => {
      const next = freezeSome(one);
      own = next !== one;
      return next;
    });
    sending = { ...sending, isInFlight: false };
    if (isStopped) return;
    if (own) await send(kept);
    else await others();
  };

  /** Another tab's batch is on its way. */
  const others = async (): Promise<void> => {
    const seq = held.shown()?.frozen?.seq;
    if (seq === undefined || sending.seq === seq) return schedule();
    sending = { seq, isInFlight: false, forcedAt: clock.now() + OTHERS_BATCH_MS, failures: 0, failedAt: 0 };
    schedule();
  };

  const beat = async (): Promise<void> => {
    tick = undefined;
    const replica = held.shown();
    if (!replica || isStopped || isGone) return;
    const { frozen, pending } = replica;
    if (frozen && frozen.seq !== sending.seq && !sending.isInFlight) await others();
    const action = atTick(clock.now(), {
      ...sending,
      hasFrozen: frozen !== undefined,
      hasPending: pending.length > 0,
    });
    if (action === 'send') await freezeAndSend();
    else if (action === 'resend') await send(replica);
    schedule();
  };

  /** The loop of 500 ms: it stands still while there is nothing to send. */
  function schedule(): void {
    const replica = held.shown();
    if (isStopped || tick !== undefined || !replica || unsent(replica) === 0 || isGone) return;
    tick = clock.after(TICK - (clock.now() % TICK), () => void beat());
  }

  /** Takes back that the list is not known: another tab, or a write still under way, has stored it since. */
  const noteKnown = (): void => {
    const replica = held.shown();
    if (problem !== NOT_KNOWN || !replica || replica.revision === 0) return;
    isGone = false;
    problem = undefined;
    if (replica.list !== undefined) void load();
  };

  const stopHearing = held.subscribe(() => {
    noteKnown();
    tell();
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
    tell();
    clock.after(FLASH_MS, () => {
      flashing = new Set([...flashing].filter((id) => !ids.includes(id)));
      if (!isStopped) tell();
    });
  };

  const keepChanges = async (changes: readonly Change[]): Promise<void> => {
    const at = clock.now();
    await held.run((one) => make(one, changes, at));
    // With a line nobody is told that it is kept here.
    if (isOffline()) tell();
  };

  return {
    standing: now,
    subscribe: (each) => {
      listeners.add(each);
      return () => listeners.delete(each);
    },
    replica: held.shown,
    keyOf: (id) => {
      const ids = held.shown()?.ids;
      if (!ids) return id;
      if (named?.of !== ids) named = { of: ids, sent: new Map([...ids].map(([sent, its]) => [its, sent])) };
      return named.sent.get(id) ?? id;
    },
    change: (changes) => void keepChanges(changes),
    hear: (event) => {
      const replica = held.shown();
      void held.run((one) => told(one, event));
      if (replica && event.client !== replica.client) flash(touchedBy(event));
    },
    open: async () => {
      const replica = await held.open();
      tell();
      if (replica.frozen) void send(replica);
      if (replica.list !== undefined) return load();
      // A list that was made in another browser, and is known there under that name alone.
      isGone = (held.shown() ?? replica).revision === 0;
      if (isGone) problem = NOT_KNOWN;
      tell();
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
      tell();
    },
    flush: resend,
    stop: () => {
      isStopped = true;
      tick?.();
      gap?.();
      stopHearing();
    },
  };
}
