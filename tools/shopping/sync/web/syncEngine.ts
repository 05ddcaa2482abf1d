import type { Change } from '../../lists/domain/list.ts';
import {
  addChanges,
  countUnsent,
  dropRefusedBatch,
  findRefusal,
  hasGap,
  receiveAnswer,
  receiveEvent,
  receiveList,
  type Answer,
  type FrozenBatch,
  type ListEvent,
  type LoadedList,
  type Replica,
} from '../domain/replica.ts';
import { TICK_INTERVAL_MS, decideTick, getForcedSendTime, type SendState } from './sendSchedule.ts';

// A pure state machine: state and event in, state and effects out. `syncDriver.ts` has the timers and the network.

/** Time without an answer after which the batch may be resent. A late answer is still applied. */
const SEND_TIMEOUT_MS = 10_000;
/** The tab that froze a batch sends it. Other tabs send it after this time, in case that tab was closed. */
const OTHER_TAB_TIMEOUT_MS = 5_000;
const GAP_TIMEOUT_MS = 1_000;
const FLASH_DURATION_MS = 600;
const LIST_NOT_FOUND_MESSAGE = 'There is no such list. It may have been deleted';

/** A refused batch, until the current list is loaded and the batch is dropped. */
interface PendingRefusal {
  readonly seq: number;
  readonly message: string;
  /** The replica as the user saw it. */
  readonly replica: Replica;
  /** A load was running when the refusal arrived: it may return the list from before. */
  readonly needsAnotherLoad: boolean;
}

/** State of the sync of one list, beside its replica. */
export interface EngineState {
  readonly isStopped: boolean;
  readonly isDisconnected: boolean;
  /** The account can no longer access this list. */
  readonly isGone: boolean;
  /** The server's message why the list can't be shown or why its changes were refused. */
  readonly problem: string | undefined;
  /** Items and types that others have just changed. */
  readonly flashing: ReadonlySet<string>;
  /** `seq`: the batch that `sending` is about. */
  readonly sending: SendState & { readonly seq: number };
  /** Sends that may still fail: neither answered nor timed out. */
  readonly openSendIds: ReadonlySet<number>;
  readonly lastSendId: number;
  readonly isLoading: boolean;
  readonly refusals: readonly PendingRefusal[];
  readonly hasTick: boolean;
  readonly hasGapTimer: boolean;
}

export const INITIAL_ENGINE_STATE: EngineState = {
  isStopped: false,
  isDisconnected: false,
  isGone: false,
  problem: undefined,
  flashing: new Set(),
  sending: { seq: 0, isInFlight: false, forcedAt: 0, failures: 0, failedAt: 0 },
  openSendIds: new Set(),
  lastSendId: 0,
  isLoading: false,
  refusals: [],
  hasTick: false,
  hasGapTimer: false,
};

/** Why a call failed. `isRefusal`: the server refused; otherwise no answer arrived, or the session has ended. */
export interface CallFailure {
  readonly isRefusal: boolean;
  readonly message: string;
}

export type SyncEvent =
  | { readonly kind: 'opened'; readonly replica: Replica }
  | { readonly kind: 'replicaChanged' }
  | { readonly kind: 'changed'; readonly changes: readonly Change[] }
  | { readonly kind: 'changesStored' }
  | { readonly kind: 'eventReceived'; readonly event: ListEvent }
  | { readonly kind: 'flashEnded'; readonly ids: readonly string[] }
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected' }
  | { readonly kind: 'flushed' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'ticked' }
  | { readonly kind: 'gapPersisted' }
  /** `isOwn`: this tab froze the batch. */
  | { readonly kind: 'frozen'; readonly replica: Replica; readonly isOwn: boolean }
  | { readonly kind: 'sendTimedOut'; readonly send: number }
  | { readonly kind: 'sendFailed'; readonly send: number; readonly seq: number; readonly failure: CallFailure }
  | {
      readonly kind: 'answered';
      readonly send: number;
      readonly seq: number;
      readonly client: string;
      readonly answer: Answer;
    }
  | { readonly kind: 'answerStored'; readonly seq: number }
  /** The list is not created yet, or the sync was stopped. */
  | { readonly kind: 'loadSkipped' }
  | { readonly kind: 'loaded'; readonly client: string; readonly list: LoadedList }
  | { readonly kind: 'loadStored' }
  /** `revision`: the replica's revision when the load started. */
  | { readonly kind: 'loadFailed'; readonly revision: number; readonly failure: CallFailure }
  | { readonly kind: 'refusalStored'; readonly refusal: PendingRefusal; readonly wasFrozen: boolean };

export type Timer = 'tick' | 'gap' | `send ${number}`;

export type SyncEffect =
  /** The status may have changed. */
  | { readonly kind: 'notify' }
  | { readonly kind: 'startTimer'; readonly ms: number; readonly event: SyncEvent; readonly timer?: Timer }
  | { readonly kind: 'cancelTimer'; readonly timer: Timer }
  /** Changes the replica immediately and stores it; then dispatches the event. */
  | { readonly kind: 'update'; readonly step: (replica: Replica) => Replica; readonly stored?: SyncEvent }
  /** Freezes pending changes and stores that; then dispatches `frozen`. */
  | { readonly kind: 'freeze' }
  /** Sends the frozen batch; then dispatches `answered` or `sendFailed`. */
  | { readonly kind: 'send'; readonly send: number; readonly replica: Replica; readonly batch: FrozenBatch }
  /** Loads the list; then dispatches `loaded`, `loadFailed` or `loadSkipped`. */
  | { readonly kind: 'load' }
  | { readonly kind: 'reportRefusal'; readonly message: string; readonly replica: Replica };

/** The context in which an event is handled. */
export interface SyncContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The visible replica; undefined until it is read. */
  readonly replica: Replica | undefined;
  /** Item names that the server already knows. */
  readonly knownNames: ReadonlySet<string>;
}

/** Returns whether changes wait for a connection. */
export function isOffline({ isDisconnected, isGone, sending }: EngineState): boolean {
  return isDisconnected || isGone || sending.failures > 0;
}

/** Lists the ids of items and types that an event changes. */
const listTouchedIds = ({ changes }: ListEvent): readonly string[] =>
  changes.flatMap(([[kind, id]]) => (kind !== 'name' && id !== undefined ? [id] : []));

type Handlers = {
  readonly [Kind in SyncEvent['kind']]: (event: Extract<SyncEvent, { readonly kind: Kind }>) => void;
};

/** Creates the handlers of one event, which collect the next state and the effects. */
function createTransition(initial: EngineState, { now, replica, knownNames }: SyncContext) {
  let state = initial;
  const effects: SyncEffect[] = [];
  const emit = (effect: SyncEffect): void => void effects.push(effect);
  const set = (changes: Partial<EngineState>): void => void (state = { ...state, ...changes });
  const setSending = (changes: Partial<EngineState['sending']>): void =>
    set({ sending: { ...state.sending, ...changes } });
  const notify = (): void => emit({ kind: 'notify' });

  /** Starts the timer of the next tick, unless nothing is unsent. */
  function schedule(): void {
    if (state.isStopped || state.hasTick || !replica || countUnsent(replica) === 0 || state.isGone) return;
    set({ hasTick: true });
    emit({
      kind: 'startTimer',
      timer: 'tick',
      ms: TICK_INTERVAL_MS - (now % TICK_INTERVAL_MS),
      event: { kind: 'ticked' },
    });
  }
  function notifyAndSchedule(): void {
    notify();
    schedule();
  }

  function load(): void {
    if (state.isLoading) return;
    set({ isLoading: true });
    emit({ kind: 'load' });
  }

  /** Loads the list if events are missing for too long. */
  function watchGap(): void {
    const isOpen = !state.isStopped && replica !== undefined && hasGap(replica);
    if (isOpen === state.hasGapTimer) return;
    set({ hasGapTimer: isOpen });
    if (isOpen) emit({ kind: 'startTimer', timer: 'gap', ms: GAP_TIMEOUT_MS, event: { kind: 'gapPersisted' } });
    else emit({ kind: 'cancelTimer', timer: 'gap' });
  }

  function recordFailure(): void {
    setSending({ isInFlight: false, failures: state.sending.failures + 1, failedAt: now });
    notifyAndSchedule();
  }

  /** Returns whether there was a batch to send. */
  function send(sentReplica: Replica): boolean {
    const { frozen: batch } = sentReplica;
    if (!batch || batch.answered !== undefined) return false;
    const id = state.lastSendId + 1;
    set({
      lastSendId: id,
      openSendIds: new Set([...state.openSendIds, id]),
      sending: {
        seq: batch.seq,
        isInFlight: true,
        forcedAt: Math.min(...batch.changes.map(({ change }) => getForcedSendTime(now, change, knownNames))),
        failures: state.sending.seq === batch.seq ? state.sending.failures : 0,
        failedAt: 0,
      },
    });
    const timedOut = { kind: 'sendTimedOut', send: id } as const;
    emit({ kind: 'startTimer', timer: `send ${id}`, ms: SEND_TIMEOUT_MS, event: timedOut });
    emit({ kind: 'send', send: id, replica: sentReplica, batch });
    return true;
  }
  const closeSend = (id: number): void =>
    set({ openSendIds: new Set([...state.openSendIds].filter((openId) => openId !== id)) });

  function freeze(): void {
    setSending({ isInFlight: true, failures: 0 });
    emit({ kind: 'freeze' });
  }

  /** Waits for another tab to send its batch. */
  function waitForOtherTab(): void {
    const seq = replica?.frozen?.seq;
    if (seq !== undefined && state.sending.seq !== seq)
      set({ sending: { seq, isInFlight: false, forcedAt: now + OTHER_TAB_TIMEOUT_MS, failures: 0, failedAt: 0 } });
    schedule();
  }

  function tick(): void {
    set({ hasTick: false });
    if (!replica || state.isStopped || state.isGone) return;
    const { frozen, pending } = replica;
    if (frozen && frozen.seq !== state.sending.seq && !state.sending.isInFlight) waitForOtherTab();
    const action = decideTick(now, {
      ...state.sending,
      hasFrozen: frozen !== undefined,
      hasPending: pending.length > 0,
    });
    if (action === 'send') freeze();
    // The end of a send schedules the next tick.
    else if (action === 'wait' || !send(replica)) schedule();
  }

  /** Sends pending changes without waiting for a tick. */
  function flush(): void {
    if (!replica || state.isStopped || state.isGone || state.sending.isInFlight) return;
    if (replica.frozen) send(replica);
    else if (replica.pending.length > 0) freeze();
  }

  function handleRefusal(seq: number, message: string): void {
    // A list that can't be created yet is tried again later. A list that no longer exists stays visible.
    if (replica?.list === undefined) {
      set({ problem: message, isGone: false });
      return recordFailure();
    }
    set({ refusals: [...state.refusals, { seq, message, replica, needsAnotherLoad: state.isLoading }] });
    load();
  }

  /** Drops a refused batch once the current list is loaded. */
  function finishRefusal(refusal: PendingRefusal): void {
    // Without the current list, the changes stay visible and the batch is tried again.
    if (state.isGone || state.isDisconnected) return recordFailure();
    const { seq } = refusal;
    const wasFrozen = replica?.frozen?.seq === seq;
    emit({
      kind: 'update',
      step: (current) => dropRefusedBatch(current, seq),
      stored: { kind: 'refusalStored', refusal, wasFrozen },
    });
  }

  function finishLoad(): void {
    set({ isLoading: false });
    const { refusals } = state;
    set({
      refusals: refusals
        .filter(({ needsAnotherLoad }) => needsAnotherLoad)
        .map((refusal) => ({ ...refusal, needsAnotherLoad: false })),
    });
    refusals.filter(({ needsAnotherLoad }) => !needsAnotherLoad).forEach(finishRefusal);
    if (state.refusals.length > 0) load();
    watchGap();
  }

  function applyLoaded(client: string, list: LoadedList): void {
    set({ isDisconnected: false, isGone: false, problem: undefined });
    const refusal = replica && findRefusal(replica, list);
    if (refusal) {
      set({ problem: refusal.why });
      emit({ kind: 'reportRefusal', message: refusal.why, replica });
    }
    emit({
      kind: 'update',
      // Batch numbers belong to one client, and the store may contain another client's replica by now.
      step: (current) => receiveList(current, current.client === client ? list : { ...list, seq: 0, ids: {} }),
      stored: { kind: 'loadStored' },
    });
  }

  function open(opened: Replica): void {
    notify();
    if (opened.frozen) send(opened);
    if (opened.list !== undefined) return load();
    // The list was created in another browser, and only that one knows this key.
    const isGone = (replica ?? opened).revision === 0;
    set({ isGone, ...(isGone ? { problem: LIST_NOT_FOUND_MESSAGE } : {}) });
    notifyAndSchedule();
  }

  /** Clears 'not found' once another tab, or a write that was still running, has stored the list. */
  function clearNotFound(): void {
    if (state.problem !== LIST_NOT_FOUND_MESSAGE || !replica || replica.revision === 0) return;
    set({ isGone: false, problem: undefined });
    if (replica.list !== undefined) load();
  }

  function receive(event: ListEvent): void {
    const ids = replica && event.client !== replica.client ? listTouchedIds(event) : [];
    if (ids.length > 0) {
      set({ flashing: new Set([...state.flashing, ...ids]) });
      emit({ kind: 'startTimer', ms: FLASH_DURATION_MS, event: { kind: 'flashEnded', ids } });
    }
    emit({ kind: 'update', step: (current) => receiveEvent(current, event) });
    if (ids.length > 0) notify();
  }

  function recordLoadFailure(revision: number, { isRefusal, message }: CallFailure): void {
    set({ isGone: isRefusal, isDisconnected: !isRefusal });
    // The stored list is shown without a connection too.
    if (isRefusal || revision === 0) set({ problem: message });
    notifyAndSchedule();
    finishLoad();
  }

  const handlers: Handlers = {
    opened: (event) => open(event.replica),
    replicaChanged: () => {
      clearNotFound();
      notifyAndSchedule();
      watchGap();
    },
    changed: ({ changes }) =>
      emit({ kind: 'update', step: (current) => addChanges(current, changes, now), stored: { kind: 'changesStored' } }),
    changesStored: () => {
      // While connected, no indicator depends on what is stored here.
      if (isOffline(state)) notify();
    },
    eventReceived: ({ event }) => receive(event),
    flashEnded: ({ ids }) => {
      set({ flashing: new Set([...state.flashing].filter((id) => !ids.includes(id))) });
      if (!state.isStopped) notify();
    },
    connected: () => {
      if (state.isStopped) return;
      set({ isDisconnected: false });
      flush();
      load();
    },
    disconnected: () => {
      set({ isDisconnected: true });
      notify();
    },
    flushed: flush,
    stopped: () => {
      set({ isStopped: true, hasTick: false, hasGapTimer: false });
      emit({ kind: 'cancelTimer', timer: 'tick' });
      emit({ kind: 'cancelTimer', timer: 'gap' });
    },
    ticked: tick,
    gapPersisted: () => {
      set({ hasGapTimer: false });
      load();
    },
    frozen: ({ isOwn, replica: frozen }) => {
      setSending({ isInFlight: false });
      if (state.isStopped) return;
      // Sent only after it is stored: two tabs must not send two batches under one number.
      if (!isOwn) waitForOtherTab();
      else if (!send(frozen)) schedule();
    },
    sendTimedOut: (event) => {
      closeSend(event.send);
      recordFailure();
    },
    sendFailed: ({ send: id, seq, failure }) => {
      if (!state.openSendIds.has(id)) return;
      closeSend(id);
      emit({ kind: 'cancelTimer', timer: `send ${id}` });
      if (failure.isRefusal) handleRefusal(seq, failure.message);
      else recordFailure();
    },
    answered: ({ send: id, seq, client, answer }) => {
      closeSend(id);
      emit({ kind: 'cancelTimer', timer: `send ${id}` });
      const step = (current: Replica): Replica =>
        current.client === client ? receiveAnswer(current, answer) : current;
      emit({ kind: 'update', step, stored: { kind: 'answerStored', seq } });
    },
    answerStored: ({ seq }) => {
      set({ isDisconnected: false, problem: undefined });
      if (state.sending.seq === seq) setSending({ isInFlight: false, failures: 0 });
      notifyAndSchedule();
    },
    refusalStored: ({ refusal, wasFrozen }) => {
      if (wasFrozen) {
        set({ problem: refusal.message });
        emit({ kind: 'reportRefusal', message: refusal.message, replica: refusal.replica });
      }
      setSending({ isInFlight: false, failures: 0 });
      notifyAndSchedule();
    },
    loaded: ({ client, list }) => applyLoaded(client, list),
    loadStored: () => {
      notifyAndSchedule();
      finishLoad();
    },
    loadFailed: ({ revision, failure }) => recordLoadFailure(revision, failure),
    loadSkipped: finishLoad,
  };

  return { handlers, finish: () => ({ state, effects }) };
}

/** Returns the state after an event, and what the driver must do, in order. */
export function transition(
  state: EngineState,
  event: SyncEvent,
  context: SyncContext,
): { readonly state: EngineState; readonly effects: readonly SyncEffect[] } {
  const { handlers, finish } = createTransition(state, context);
  // Each handler takes the events of its own kind.
  (handlers[event.kind] as (event: SyncEvent) => void)(event);
  return finish();
}
