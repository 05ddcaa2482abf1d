import { io, type Socket } from 'socket.io-client';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { CallError, createClient } from '#platform/contract/client.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { roundTrip } from '#testing/kits/planning/replicaText.ts';
import { getshoplist, modifyshoplist, shoplistChanges } from '#tools/shopping/contract.ts';
import type { Change } from '#tools/shopping/lists/domain/list.ts';
import {
  addChanges,
  countUnsent,
  dropRefusedBatch,
  findRefusal,
  freeze,
  hasGap,
  parseAnswer,
  parseListEvent,
  parseLoadedList,
  receiveAnswer,
  receiveEvent,
  receiveList,
  toRequestBody,
  type PendingChange,
  type RefusedBatch,
  type Replica,
} from '#tools/shopping/sync/domain/replica.ts';
import { TICK_INTERVAL_MS, decideTick, getForcedSendTime } from '#tools/shopping/sync/web/sendSchedule.ts';
import type { FaultyLine } from './faultyLine.ts';

/** The sync loop runs this many times faster. */
const SPEED = 50;
const GAP_MS = 1000;

export interface SyncBrowserDeps {
  readonly line: FaultyLine;
  readonly token: string;
  readonly start: Replica;
  /** Called with the revision of each answer: afterwards no browser may receive an older one. */
  readonly onAnswer: (revision: number) => void;
  /** Called before a batch is sent. */
  readonly onSend: () => void;
  /** The oldest revision that the server may send now. */
  readonly getMinRevision: () => number;
}

/** One browser with one open list, driven like our page: a replica, calls and a socket over its connection. */
export interface SyncBrowser {
  readonly getReplica: () => Replica;
  readonly change: (changes: readonly Change[]) => void;
  /** What its user did, in order, without refused changes that were reported. */
  readonly listDone: () => readonly PendingChange[];
  readonly refusals: readonly RefusedBatch[];
  /** Closes the page and opens it again: only what was stored remains. */
  readonly reopen: () => void;
  /** Loads the whole list as soon as possible. */
  readonly reload: () => void;
  readonly isIdle: () => boolean;
  /** Errors that no connection failure explains. */
  readonly errors: readonly string[];
  readonly close: () => void;
}

/** Returns whether a broken connection or dead server explains the error. */
const isConnectionError = (error: unknown): boolean => error instanceof CallError;

export function openSyncBrowser(deps: SyncBrowserDeps): SyncBrowser {
  const { line, token, start, onAnswer, onSend, getMinRevision } = deps;
  const call = createClient({ origin: line.origin, token: () => token });
  const changeByTime = new Map<number, PendingChange>();
  const refusals: RefusedBatch[] = [];
  const errors: string[] = [];
  let replica = start;
  let lastTime = 0;
  /** Increases when the page is closed, so that late events of the old page are ignored. */
  let session = 0;
  let isInFlight = false;
  let isLoading = false;
  let wantsLoad = replica.list !== undefined;
  let gapSince: number | undefined;
  let sending = { forcedAt: 0, failures: 0, failedAt: 0 };
  let socket: Socket | undefined;

  const now = (): number => performance.now() * SPEED;
  function handleRefusal(batch: RefusedBatch): void {
    refusals.push(batch);
    for (const { at: changedAt } of batch.changes) changeByTime.delete(changedAt);
  }

  async function load(): Promise<void> {
    const { list, client } = replica;
    if (list === undefined) return;
    const currentSession = session;
    const minRevision = getMinRevision();
    isLoading = true;
    wantsLoad = false;
    try {
      const latest = parseLoadedList((await call(getshoplist, { id: list, client })).data);
      if (currentSession !== session) return;
      if (latest.revision < minRevision)
        errors.push(`revision ${latest.revision} was told after ${minRevision} was answered`);
      const refusal = findRefusal(replica, latest);
      if (refusal) handleRefusal(refusal);
      replica = receiveList(replica, latest);
    } catch (error) {
      if (currentSession !== session) return;
      wantsLoad = true;
      if (!isConnectionError(error)) errors.push(String(error));
    } finally {
      if (currentSession === session) isLoading = false;
    }
  }

  async function send(): Promise<void> {
    const { frozen } = replica;
    if (!frozen) return;
    const currentSession = session;
    isInFlight = true;
    onSend();
    try {
      const body = toRequestBody(replica, frozen, Date.now()) as RequestInputOf<typeof modifyshoplist>;
      const answer = parseAnswer(await call(modifyshoplist, body), frozen.seq);
      onAnswer(answer.revision);
      if (currentSession !== session) return;
      replica = receiveAnswer(replica, answer);
      sending = { ...sending, failures: 0 };
    } catch (error) {
      if (currentSession !== session) return;
      if (error instanceof Refusal && !(error instanceof InvalidTokenRefusal)) {
        handleRefusal({ seq: frozen.seq, why: error.message, changes: frozen.changes });
        replica = dropRefusedBatch(replica, frozen.seq);
        return;
      }
      sending = { ...sending, failures: sending.failures + 1, failedAt: now() };
      if (!isConnectionError(error)) errors.push(String(error));
    } finally {
      if (currentSession === session) isInFlight = false;
    }
  }

  function watchGap(): void {
    if (!hasGap(replica)) gapSince = undefined;
    else gapSince ??= now();
    if (gapSince === undefined || now() < gapSince + GAP_MS) return;
    gapSince = undefined;
    wantsLoad = true;
  }

  function tick(): void {
    watchGap();
    if (wantsLoad && !isLoading) void load();
    const { frozen, pending } = replica;
    // An acknowledged batch waits for events, not for the server.
    if (frozen?.answered !== undefined) return;
    const action = decideTick(now(), {
      ...sending,
      isInFlight,
      hasFrozen: frozen !== undefined,
      hasPending: pending.length > 0,
    });
    if (action === 'wait') return;
    if (action === 'send') replica = freeze(replica);
    const changes = replica.frozen?.changes ?? [];
    sending.forcedAt = Math.min(...changes.map(({ change }) => getForcedSendTime(now(), change, new Set())));
    void send();
  }
  const clock = setInterval(tick, TICK_INTERVAL_MS / SPEED);

  function openSocket(): void {
    const currentSession = session;
    const newSocket = io(line.origin, {
      path: SOCKET_PATH,
      transports: ['websocket'],
      forceNew: true,
      auth: { token },
      reconnectionDelay: 1000 / SPEED,
      reconnectionDelayMax: 5000 / SPEED,
    });
    socket = newSocket;
    newSocket.on('connect', () => {
      wantsLoad = true;
      // The connection is back: what waits is sent immediately.
      sending = { ...sending, failedAt: 0 };
    });
    newSocket.on('disconnect', (why) => {
      if (why === 'io server disconnect') newSocket.connect();
    });
    newSocket.on('connect_error', (error) => {
      if (newSocket.active) return;
      errors.push(`the socket was turned away: ${error.message}`);
    });
    newSocket.on(shoplistChanges.name, (data: unknown, acknowledge: unknown) => {
      if (typeof acknowledge === 'function') acknowledge();
      const event = shoplistChanges.data.parse(data);
      if (currentSession === session && event.id === replica.list)
        replica = receiveEvent(replica, parseListEvent(event));
    });
  }
  openSocket();

  return {
    getReplica: () => replica,
    change: (changes) => {
      lastTime = Math.max(lastTime + 1, Date.now());
      for (const change of changes) {
        const before = replica.pending.length;
        replica = addChanges(replica, [change], lastTime);
        for (const pendingChange of replica.pending.slice(before)) changeByTime.set(lastTime, pendingChange);
        lastTime += 1;
      }
    },
    listDone: () => [...changeByTime.values()],
    refusals,
    reopen: () => {
      session += 1;
      socket?.disconnect();
      replica = roundTrip(replica);
      [isInFlight, isLoading, wantsLoad] = [false, false, true];
      // What was in flight when the page was closed is sent again.
      sending = { forcedAt: 0, failures: 0, failedAt: 0 };
      openSocket();
    },
    reload: () => void (wantsLoad = true),
    isIdle: () => countUnsent(replica) === 0 && !hasGap(replica) && !isInFlight && !isLoading && !wantsLoad,
    errors,
    close: () => {
      session += 1;
      clearInterval(clock);
      socket?.disconnect();
    },
  };
}
