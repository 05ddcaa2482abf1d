import { notices } from '#platform/web/app/notices.ts';
import { offlineStorage } from '#platform/web/app/offlineStorage.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { session } from '#platform/web/app/session.ts';
import { showError } from '#platform/web/app/showError.ts';
import { createBrowserReplicaStore } from './browserReplicaStore.ts';
import { createLists, type Lists } from './openLists.ts';
import type { Clock } from './syncDriver.ts';
import { serverTransport } from './transport.ts';

const clock: Clock = {
  now: () => Date.now(),
  startTimer: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** `crypto.randomUUID` needs a secure context. */
const createRandomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(15))].map((byte) => byte.toString(36).padStart(2, '0')).join('');

interface CurrentLists {
  readonly account: string;
  readonly lists: Lists;
  readonly start: () => void;
  readonly stop: () => void;
}
let current: CurrentLists | undefined;

/** Subscribes the lists to connection, visibility and unload events. Returns a function that unsubscribes. */
function subscribeToBrowser(lists: Lists): () => void {
  let connectionState = realtime.getConnectionState();
  function handleConnectionState(): void {
    const previousState = connectionState;
    connectionState = realtime.getConnectionState();
    if (connectionState === 'connected' && previousState !== 'connected') lists.connect();
  }
  const handleReachability = (): void => (reachability.isReachable() ? lists.connect() : lists.disconnect());
  const handleVisibility = (): void => (document.visibilityState === 'visible' ? lists.connect() : lists.flush());
  function handleUnload(event: BeforeUnloadEvent): void {
    // Changes exist only in this page, so the browser asks before it closes.
    if (!lists.getPlanner().isStored && lists.countUnsent() > 0) event.preventDefault();
  }
  document.addEventListener('visibilitychange', handleVisibility);
  window.addEventListener('beforeunload', handleUnload);
  const unsubscribers = [
    realtime.onConnectionStateChange(handleConnectionState),
    reachability.subscribe(handleReachability),
    offlineStorage.addCounter(lists.countUnsent),
  ];
  return () => {
    document.removeEventListener('visibilitychange', handleVisibility);
    window.removeEventListener('beforeunload', handleUnload);
    for (const unsubscribe of unsubscribers) unsubscribe();
  };
}

function createCurrentLists(account: string): Lists {
  const replicaStore = createBrowserReplicaStore(account);
  const lists: Lists = createLists({
    store: replicaStore,
    transport: serverTransport,
    clock,
    createRandomId,
    onFailure: showError,
    onRefused: (message, list) =>
      notices.add('bad', message, undefined, {
        label: 'Keep a copy',
        run: () => void lists.getPlanner().create({ name: `${list.name} (copy)`, list }),
      }),
  });
  let cleanUps: readonly (() => void)[] = [];
  function start(): void {
    if (cleanUps.length === 0) cleanUps = [lists.start(), subscribeToBrowser(lists)];
  }
  const token = session.getCurrent()?.token;
  const unsubscribe = session.subscribe(() => {
    if (session.getCurrent()?.token !== token) current?.stop();
  });
  function stop(): void {
    for (const cleanUp of [...cleanUps, unsubscribe]) cleanUp();
    if (cleanUps.length === 0) replicaStore.close();
    current = undefined;
  }
  void lists.load(undefined);
  current = { account, lists, start, stop };
  return lists;
}

/** Returns the lists of this account, from this browser only until `startLists`. They run until the session ends. */
export function getLists(account: string): Lists {
  if (current?.account === account) return current.lists;
  current?.stop();
  return createCurrentLists(account);
}

/** Connects the lists to the server. Call it after the first paint, which loading the network code would delay. */
export function startLists(lists: Lists): void {
  if (current?.lists === lists) current.start();
}
