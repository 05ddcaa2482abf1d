import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import type { Change, List } from '../../lists/domain/list.ts';
import type { SyncState } from '../../lists/web/plannerTypes.ts';
import {
  countUnsent,
  getVisibleList,
  toRequestBody,
  type FrozenBatch,
  type ListEvent,
  type Replica,
} from '../domain/replica.ts';
import { freezeNextBatch, type PersistedReplica } from './persistedReplica.ts';
import {
  INITIAL_ENGINE_STATE,
  isOffline,
  transition,
  type CallFailure,
  type SyncEffect,
  type SyncEvent,
  type Timer,
} from './syncEngine.ts';
import type { Transport } from './transport.ts';

/** Time and timers, so that tests can replace them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a function that cancels the timer. */
  readonly startTimer: (ms: number, callback: () => void) => () => void;
}

export interface SyncDeps {
  readonly replica: PersistedReplica;
  readonly transport: Pick<Transport, 'send' | 'load'>;
  readonly clock: Clock;
  /** Item names that the server already knows. */
  readonly getKnownNames: () => ReadonlySet<string>;
  /** Called when a batch was refused, with the message and the list as the user saw it, with the refused changes. */
  readonly onRefused: (message: string, visibleList: List) => void;
}

/** State of the list between this browser and the server. */
export interface SyncStatus {
  readonly list: List | undefined;
  readonly state: SyncState;
  readonly unsent: number;
  /** Number of unsent changes that are stored in the browser. */
  readonly storedCount: number;
  readonly flashing: ReadonlySet<string>;
  readonly isGone: boolean;
  readonly problem: string | undefined;
}

/** The sync of one list: runs the effects of the sync engine, and reports to it what happened. */
export interface Sync {
  readonly getStatus: () => SyncStatus;
  readonly subscribe: (listener: () => void) => () => void;
  readonly getReplica: () => Replica | undefined;
  readonly getKey: (id: string) => string;
  readonly change: (changes: readonly Change[]) => void;
  /** Applies an event of this list. */
  readonly receive: (event: ListEvent) => void;
  /** Reads the stored replica, then updates it from the server. Resolves when it is read. */
  readonly open: () => Promise<void>;
  /** Call this when the connection is back, or the page is visible again. Sends pending changes and loads the list. */
  readonly connect: () => void;
  /** Call this when the connection is down, so that the state is shown without waiting for a call to fail. */
  readonly disconnect: () => void;
  /** Sends pending changes without waiting for the next tick, as the page may be closed. */
  readonly flush: () => void;
  readonly stop: () => void;
}

/** An ended session does not count as a refusal, because it says nothing about the list. */
const toFailure = (error: unknown): CallFailure => ({
  isRefusal: error instanceof Refusal && !(error instanceof InvalidTokenRefusal),
  message: error instanceof Error ? error.message : String(error),
});

export function createSync({ replica: persisted, transport, clock, getKnownNames, onRefused }: SyncDeps): Sync {
  const listeners = new Set<() => void>();
  const timers = new Map<Timer, () => void>();
  let state = INITIAL_ENGINE_STATE;
  let status: SyncStatus | undefined;
  let listCache: { readonly replica: Replica; readonly list: List } | undefined;
  let keyCache: { readonly ids: Replica['ids']; readonly keys: ReadonlyMap<string, string> } | undefined;

  function notify(): void {
    status = undefined;
    for (const listener of listeners) listener();
  }
  function getList(replica: Replica): List {
    if (listCache?.replica !== replica) listCache = { replica, list: getVisibleList(replica) };
    return listCache.list;
  }
  function countStored(replica: Replica): number {
    const stored = persisted.getStored();
    return stored ? Math.min(countUnsent(stored), countUnsent(replica)) : 0;
  }
  function getSyncState(replica: Replica | undefined): SyncState {
    if (!replica || countUnsent(replica) === 0) return 'saved';
    return isOffline(state) && countStored(replica) > 0 ? 'offline' : 'sending';
  }
  function getStatus(): SyncStatus {
    const replica = persisted.getVisible();
    return (status ??= {
      list: replica && replica.revision > 0 ? getList(replica) : undefined,
      state: getSyncState(replica),
      unsent: replica ? countUnsent(replica) : 0,
      storedCount: replica ? countStored(replica) : 0,
      flashing: state.flashing,
      isGone: state.isGone,
      problem: state.problem,
    });
  }

  function dispatch(event: SyncEvent): void {
    const context = { now: clock.now(), replica: persisted.getVisible(), knownNames: getKnownNames() };
    const next = transition(state, event, context);
    state = next.state;
    next.effects.forEach(runEffect);
  }

  async function load(): Promise<void> {
    const { list, client, revision } = await persisted.open();
    if (list === undefined || state.isStopped) return dispatch({ kind: 'loadSkipped' });
    try {
      const loaded = await transport.load(list, client);
      dispatch({ kind: 'loaded', client, list: loaded });
    } catch (error) {
      dispatch({ kind: 'loadFailed', revision, failure: toFailure(error) });
    }
  }
  async function send(id: number, replica: Replica, batch: FrozenBatch): Promise<void> {
    const { client } = replica;
    const { seq } = batch;
    try {
      const answer = await transport.send(toRequestBody(replica, batch, clock.now()));
      dispatch({ kind: 'answered', send: id, seq, client, answer });
    } catch (error) {
      dispatch({ kind: 'sendFailed', send: id, seq, failure: toFailure(error) });
    }
  }
  async function freeze(): Promise<void> {
    let isOwn = false;
    const replica = await persisted.update((current) => {
      const next = freezeNextBatch(current);
      isOwn = next !== current;
      return next;
    });
    dispatch({ kind: 'frozen', replica, isOwn });
  }
  async function update({ step, stored }: Extract<SyncEffect, { kind: 'update' }>): Promise<void> {
    await persisted.update(step);
    if (stored) dispatch(stored);
  }
  function startTimer({ ms, event, timer }: Extract<SyncEffect, { kind: 'startTimer' }>): void {
    const cancel = clock.startTimer(ms, () => {
      if (timer !== undefined) timers.delete(timer);
      dispatch(event);
    });
    if (timer !== undefined) timers.set(timer, cancel);
  }
  function cancelTimer(timer: Timer): void {
    timers.get(timer)?.();
    timers.delete(timer);
  }

  function runEffect(effect: SyncEffect): void {
    switch (effect.kind) {
      case 'notify':
        return notify();
      case 'startTimer':
        return startTimer(effect);
      case 'cancelTimer':
        return cancelTimer(effect.timer);
      case 'update':
        return void update(effect);
      case 'freeze':
        return void freeze();
      case 'send':
        return void send(effect.send, effect.replica, effect.batch);
      case 'load':
        return void load();
      case 'reportRefusal':
        return onRefused(effect.message, getList(effect.replica));
    }
  }

  const unsubscribe = persisted.subscribe(() => dispatch({ kind: 'replicaChanged' }));

  return {
    getStatus,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getReplica: persisted.getVisible,
    getKey: (id) => {
      const ids = persisted.getVisible()?.ids;
      if (!ids) return id;
      if (keyCache?.ids !== ids)
        keyCache = { ids, keys: new Map([...ids].map(([newId, serverId]) => [serverId, newId])) };
      return keyCache.keys.get(id) ?? id;
    },
    change: (changes) => dispatch({ kind: 'changed', changes }),
    receive: (event) => dispatch({ kind: 'eventReceived', event }),
    open: async () => {
      const replica = await persisted.open();
      dispatch({ kind: 'opened', replica });
    },
    connect: () => dispatch({ kind: 'connected' }),
    disconnect: () => dispatch({ kind: 'disconnected' }),
    flush: () => dispatch({ kind: 'flushed' }),
    stop: () => {
      dispatch({ kind: 'stopped' });
      unsubscribe();
    },
  };
}
