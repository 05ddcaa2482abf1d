import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Socket } from 'socket.io-client';
import { createUnreachableError } from '#platform/contract/client.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import type {
  EventMetadataOf,
  ClientEvent,
  EventDataOf,
  EventAnswerOf,
  EventInputOf,
  ServerEvent,
} from '#platform/contract/event.ts';
import { ACCOUNT_SUSPENDED, INVALID_TOKEN_MESSAGE, toPageRefusal, UNKNOWN_CODE } from '#platform/contract/refusal.ts';
import { toSitePath } from '../browser/siteAddress.ts';
import { createStore } from '../store.ts';
import { accountClient } from './accountClient.ts';
import { reachability } from './reachability.ts';
import { session } from './session.ts';

/** State of the only socket of this page. It is `off` until it is first used. */
export type ConnectionState = 'off' | 'connected' | 'reconnecting';

export interface RealtimeClient {
  /**
   * Sends an event and waits for its acknowledgement.
   * @throws {Refusal} if the server refuses.
   * @throws {CallError} if there is no answer within 5 s.
   */
  readonly request: <E extends ClientEvent>(event: E, data: EventInputOf<E>) => Promise<EventAnswerOf<E>>;
  /** Sends an event without waiting. It is discarded while the connection is down. */
  readonly emit: <E extends ClientEvent>(event: E, data: EventInputOf<E>) => void;
  /**
   * Subscribes to an event and opens the socket. Returns a function that unsubscribes. The second argument is set if
   * the event declares `about`.
   */
  readonly on: <E extends ServerEvent>(
    event: E,
    listener: (data: EventDataOf<E>, metadata: EventMetadataOf<E>) => void,
  ) => () => void;
  /** Returns since when no such event was missed, as milliseconds of `Date.now()`; undefined if some may be. */
  readonly getHeardSince: (event: ServerEvent) => number | undefined;
  readonly getConnectionState: () => ConnectionState;
  readonly onConnectionStateChange: (listener: () => void) => () => void;
}

const REQUEST_TIMEOUT_MS = 5000;
/** socket.io does not reconnect if the server closed the connection (revoked session, refused handshake). */
const MIN_RETRY_DELAY_MS = 2000;
const MAX_RETRY_DELAY_MS = MINUTE_MS;

const connectionState = createStore<ConnectionState>('off');
let socketPromise: Promise<Socket> | undefined;
let currentSocket: Socket | undefined;
const handlersByEvent = new Map<string, Set<(data: unknown, metadata: unknown) => void>>();
let connectedAt = 0;
/** When the first of the present listeners of each event was added. */
const listeningSinceByEvent = new Map<string, number>();

function setConnectionState(next: ConnectionState): void {
  if (next === connectionState.get()) return;
  connectedAt = Date.now();
  connectionState.set(next);
}

/** Adds one listener per event name before the socket connects, so that no event is missed. */
function addListener(socket: Socket, name: string): void {
  socket.on(name, (data: unknown, ...rest: unknown[]) => {
    for (const handler of handlersByEvent.get(name) ?? []) handler(data, rest[0]);
    const acknowledge = rest.at(-1);
    if (typeof acknowledge === 'function') acknowledge();
  });
}

/** Makes a call that ends the session if its token is no longer valid. */
function checkSession(): void {
  if (session.getCurrent()) accountClient.fetchUsername().catch(() => undefined);
}

async function createSocket(): Promise<Socket> {
  const [{ io }, { SOCKET_OPTIONS }] = await Promise.all([
    import('socket.io-client'),
    import('#platform/contract/realtime.ts'),
  ]);
  const socket = io({
    ...SOCKET_OPTIONS,
    path: toSitePath(SOCKET_OPTIONS.path),
    auth: (callback) => callback({ token: session.getCurrent()?.token ?? '' }),
  });
  function handleConnectionLoss(): void {
    setConnectionState('reconnecting');
    if (!socket.active) setTimeout(() => socket.connect(), MIN_RETRY_DELAY_MS);
  }
  socket.on('connect', () => {
    setConnectionState('connected');
    reachability.set(true);
  });
  socket.on('disconnect', (reason) => {
    if (reason === 'io client disconnect') return;
    handleConnectionLoss();
    if (reason === 'io server disconnect') checkSession();
  });
  socket.on('connect_error', (error: Error & { readonly data?: { readonly code?: string } }) => {
    handleConnectionLoss();
    if (error.message === INVALID_TOKEN_MESSAGE || error.data?.code === ACCOUNT_SUSPENDED) checkSession();
  });
  for (const name of handlersByEvent.keys()) addListener(socket, name);
  let token = session.getCurrent()?.token;
  session.subscribe(() => {
    if (session.getCurrent()?.token === token) return;
    token = session.getCurrent()?.token;
    setConnectionState('reconnecting');
    socket.disconnect().connect();
  });
  // A connection that was opened while the network changed is dead, but socket.io waits 20 s for it.
  for (const eventName of ['offline', 'online'])
    window.addEventListener(eventName, () => {
      if (!socket.connected) socket.disconnect().connect();
    });
  reachability.subscribe(() => {
    if (reachability.isReachable() && !socket.connected) socket.disconnect().connect();
  });
  setConnectionState('reconnecting');
  currentSocket = socket;
  return socket.connect();
}

/** Opens the socket, or returns the open one. If its code can't be loaded, the next use tries again. */
function openSocket(): Promise<Socket> {
  socketPromise ??= createSocket().catch((error: unknown) => {
    socketPromise = undefined;
    throw error;
  });
  return socketPromise;
}

let retryTimer: ReturnType<typeof setTimeout> | undefined;
let retryDelayMs = MIN_RETRY_DELAY_MS;

/** Opens the socket for callers that don't wait, and retries until its code is loaded. */
function openInBackground(): void {
  openSocket().catch(() => {
    setConnectionState('reconnecting');
    if (retryTimer !== undefined) return;
    retryTimer = setTimeout(() => {
      retryTimer = undefined;
      openInBackground();
    }, retryDelayMs);
    // After an upgrade the old file no longer exists, so back off.
    retryDelayMs = Math.min(2 * retryDelayMs, MAX_RETRY_DELAY_MS);
  });
}

/** The only socket of this page, shared by all tools. socket.io is not part of the first load. */
export const realtime: RealtimeClient = {
  request: async (event, data) => {
    const socket = await openSocket();
    const answer = await socket
      .timeout(REQUEST_TIMEOUT_MS)
      .emitWithAck(event.name, data)
      .catch((cause: unknown) => {
        // If the connection is up, the server was only slow with this answer.
        if (!socket.connected) reachability.set(false);
        throw createUnreachableError(cause);
      });
    const { message, code = UNKNOWN_CODE } = answer as { readonly message: string; readonly code?: string };
    if (message !== 'ok') throw toPageRefusal(code, message);
    return event.answer.parse(answer) as EventAnswerOf<typeof event>;
  },
  emit: (event, data) => {
    if (currentSocket?.connected) currentSocket.emit(event.name, data);
    else openInBackground();
  },
  on: (event, listener) => {
    const existing = handlersByEvent.get(event.name);
    const handler = (data: unknown, metadata: unknown): void =>
      listener(
        event.data.parse(data) as EventDataOf<typeof event>,
        event.about?.parse(metadata) as EventMetadataOf<typeof event>,
      );
    if (existing) existing.add(handler);
    else {
      handlersByEvent.set(event.name, new Set([handler]));
      if (currentSocket) addListener(currentSocket, event.name);
    }
    if (!listeningSinceByEvent.has(event.name)) listeningSinceByEvent.set(event.name, Date.now());
    openInBackground();
    return () => {
      const handlers = handlersByEvent.get(event.name);
      handlers?.delete(handler);
      if (handlers?.size === 0) listeningSinceByEvent.delete(event.name);
    };
  },
  getHeardSince: ({ name }) => {
    const listeningSince = listeningSinceByEvent.get(name);
    if (listeningSince === undefined || connectionState.get() !== 'connected') return undefined;
    return Math.max(listeningSince, connectedAt);
  },
  getConnectionState: connectionState.get,
  onConnectionStateChange: connectionState.subscribe,
};

/** Shorter interruptions, such as the first connection, are not shown. */
const NOTICE_DELAY_MS = 1500;

/** Returns whether the realtime connection has been lost for longer than a moment. */
export function useIsReconnecting(): boolean {
  const current = useSyncExternalStore(realtime.onConnectionStateChange, realtime.getConnectionState);
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (current !== 'reconnecting') return undefined;
    const timer = setTimeout(() => setIsLate(true), NOTICE_DELAY_MS);
    return () => {
      clearTimeout(timer);
      setIsLate(false);
    };
  }, [current]);
  return isLate;
}
