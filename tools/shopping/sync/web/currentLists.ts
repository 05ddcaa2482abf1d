import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { offlineStorage } from '#platform/web/app/offline.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { session } from '#platform/web/app/session.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { createBrowserReplicaStore } from './browserReplicaStore.ts';
import { createLists, type Lists } from './openLists.ts';
import type { Clock } from './syncDriver.ts';
import { serverTransport } from './transport.ts';

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** `crypto.randomUUID` needs a secure context. */
const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(15))].map((byte) => byte.toString(36).padStart(2, '0')).join('');

interface CurrentList {
  readonly account: string;
  readonly lists: Lists;
  readonly start: () => void;
  readonly end: () => void;
}
let current: CurrentList | undefined;

/** Connects the lists to connection, visibility and unload events. Returns a function that stops this. */
const watchBrowser = (lists: Lists): (() => void) => {
  let connectionState = realtime.getConnectionState();
  const handleConnectionState = (): void => {
    const before = connectionState;
    connectionState = realtime.getConnectionState();
    if (connectionState === 'connected' && before !== 'connected') lists.connect();
  };
  const handleReachability = (): void => (reachability.isReachable() ? lists.connect() : lists.disconnect());
  const handleVisibility = (): void => (document.visibilityState === 'visible' ? lists.connect() : lists.flush());
  const handleUnload = (event: BeforeUnloadEvent): void => {
    // Changes exist only in this page, so the browser asks before it closes.
    if (!lists.planner().isStored && lists.unsent() > 0) event.preventDefault();
  };
  document.addEventListener('visibilitychange', handleVisibility);
  window.addEventListener('beforeunload', handleUnload);
  const stops = [
    realtime.onConnectionStateChange(handleConnectionState),
    reachability.subscribe(handleReachability),
    offlineStorage.addCounter(lists.unsent),
  ];
  return () => {
    document.removeEventListener('visibilitychange', handleVisibility);
    window.removeEventListener('beforeunload', handleUnload);
    for (const stop of stops) stop();
  };
};

const createCurrent = (account: string): Lists => {
  const replicaStore = createBrowserReplicaStore(account);
  const lists: Lists = createLists({
    store: replicaStore,
    transport: serverTransport,
    clock,
    randomId,
    onFailure: showError,
    onRefused: (why, seen) =>
      notices.add('bad', why, undefined, {
        label: 'Keep a copy',
        run: () => void lists.planner().create({ name: `${seen.name} (copy)`, list: seen }),
      }),
  });
  let stops: readonly (() => void)[] = [];
  const start = (): void => {
    if (stops.length === 0) stops = [lists.start(), watchBrowser(lists)];
  };
  const token = session.getCurrent()?.token;
  const stopWatching = session.subscribe(() => {
    if (session.getCurrent()?.token !== token) current?.end();
  });
  const end = (): void => {
    for (const stop of [...stops, stopWatching]) stop();
    if (stops.length === 0) replicaStore.close();
    current = undefined;
  };
  void lists.ready(undefined);
  current = { account, lists, start, end };
  return lists;
};

/** Returns the lists of this account, from this browser only until `startLists`. They run until the session ends. */
export function getLists(account: string): Lists {
  if (current?.account === account) return current.lists;
  current?.end();
  return createCurrent(account);
}

/** Connects the lists to the server. Call it after the first paint, which loading the network code would delay. */
export function startLists(lists: Lists): void {
  if (current?.lists === lists) current.start();
}
