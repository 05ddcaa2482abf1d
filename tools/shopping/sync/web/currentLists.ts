import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { offlineStorage } from '#platform/web/app/offline.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { session } from '#platform/web/app/session.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { createBrowserReplicaStore } from './browserKeep.ts';
import { createLists, type Lists } from './openLists.ts';
import type { Clock } from './syncEngine.ts';
import { served } from './syncServer.ts';

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** `crypto.randomUUID` is kept for secure contexts. */
const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(15))].map((byte) => byte.toString(36).padStart(2, '0')).join('');

interface Current {
  readonly account: string;
  readonly lists: Lists;
  readonly start: () => void;
  readonly end: () => void;
}
let current: Current | undefined;

/** Runs what the browser tells of its line and of the page. Gives back how to stop. */
const follow = (lists: Lists): (() => void) => {
  let line = realtime.getConnectionState();
  const onLine = (): void => {
    const before = line;
    line = realtime.getConnectionState();
    if (line === 'connected' && before !== 'connected') lists.wake();
  };
  const onReach = (): void => (reachability.isReachable() ? lists.wake() : lists.sleep());
  const onSight = (): void => (document.visibilityState === 'visible' ? lists.wake() : lists.flush());
  const onLeave = (event: BeforeUnloadEvent): void => {
    // What only this page has: the browser asks whether to leave.
    if (!lists.planner().isKept && lists.unsent() > 0) event.preventDefault();
  };
  document.addEventListener('visibilitychange', onSight);
  window.addEventListener('beforeunload', onLeave);
  const stops = [
    realtime.onConnectionStateChange(onLine),
    reachability.subscribe(onReach),
    offlineStorage.addCounter(lists.unsent),
  ];
  return () => {
    document.removeEventListener('visibilitychange', onSight);
    window.removeEventListener('beforeunload', onLeave);
    for (const stop of stops) stop();
  };
};

const begin = (account: string): Lists => {
  const keep = createBrowserReplicaStore(account);
  const lists: Lists = createLists({
    keep,
    served,
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
    if (stops.length === 0) stops = [lists.start(), follow(lists)];
  };
  const token = session.getCurrent()?.token;
  const stopWatching = session.subscribe(() => {
    if (session.getCurrent()?.token !== token) current?.end();
  });
  const end = (): void => {
    for (const stop of [...stops, stopWatching]) stop();
    if (stops.length === 0) keep.close();
    current = undefined;
  };
  void lists.ready(undefined);
  current = { account, lists, start, end };
  return lists;
};

/** The lists of this account in this page, as they are kept until `startLists`. They go on while the session does, whichever page is shown. */
export function listsOf(account: string): Lists {
  if (current?.account === account) return current.lists;
  current?.end();
  return begin(account);
}

/** Lets them ask the server and hear of changes: once they are drawn as they are kept, which the network's code would hold up. */
export function startLists(lists: Lists): void {
  if (current?.lists === lists) current.start();
}
