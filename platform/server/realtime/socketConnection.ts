import type { Socket } from 'socket.io';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import type { SentEvent, ServerEvent } from '#platform/contract/event.ts';
import { closing, type CloseReason } from '#platform/contract/realtime.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { getRequestOrigin, type ClientPeer } from '../http/address.ts';
import { truncateUserAgent } from '../http/headers.ts';
import type { LiveSession } from '../identity/identity.ts';
import type { Timers } from '../schedule/timers.ts';
import type { Connection } from '../tool.ts';
import { type AckWindow, createAckWindow } from './ackWindow.ts';
import type { Room } from './realtime.ts';
import type { MetricsRecorder } from './realtimeMetrics.ts';

const EVENTS_PER_SECOND = 100;
const MAX_BURST = 200;
const OVERLOAD_TIMEOUT_MS = 5000;
/** Maximum time between two dropped events that count as continuous overload. */
const MAX_GAP_MS = 1000;

/** What happens to an event: accepted, dropped, or dropped so often that the socket must close (`excessive`). */
export type RateVerdict = 'accepted' | 'dropped' | 'excessive';

/**
 * Creates a rate limit of 100 events per second, with bursts of 200. `excessive` means dropped events for 5 s
 * (docs/design/reliability.md section 9). `now` is monotonic, in milliseconds.
 */
export function createTokenBucket(start: number): (now: number) => RateVerdict {
  let tokens = MAX_BURST;
  let refilledAt = start;
  let firstDrop = 0;
  let lastDrop = -Infinity;
  return (now) => {
    tokens = Math.min(MAX_BURST, tokens + ((now - refilledAt) * EVENTS_PER_SECOND) / 1000);
    refilledAt = now;
    if (tokens >= 1) {
      tokens -= 1;
      return 'accepted';
    }
    if (now - lastDrop > MAX_GAP_MS) firstDrop = now;
    lastDrop = now;
    return now - firstDrop >= OVERLOAD_TIMEOUT_MS ? 'excessive' : 'dropped';
  };
}

export const MAX_UNSENT_BYTES = 1024 * 1024;
export const MAX_UNSENT_AGE_MS = 15_000;

/** Measures what was sent to a socket and has not left yet. */
export interface UnsentMonitor {
  /** Whether the unsent data is more than 1 MiB or older than 15 s. */
  readonly isOverLimit: () => boolean;
}

/** Creates the monitor of a socket. Calls `onOverLimit` as soon as a packet makes the unsent data exceed 1 MiB. */
export function createUnsentMonitor(socket: Socket, { now }: Timers, onOverLimit: () => void): UnsentMonitor {
  const { conn } = socket;
  const tcpSocket = socket.request.socket;
  let bytes = 0;
  let queuedSince: number | undefined;
  let flushedSince: number | undefined;
  const hasTooManyBytes = (): boolean => bytes + tcpSocket.writableLength > MAX_UNSENT_BYTES;

  conn.on('packetCreate', ({ data }: { readonly data?: unknown }) => {
    if (typeof data === 'string') bytes += data.length;
    else if (data instanceof Uint8Array) bytes += data.byteLength;
    queuedSince ??= now();
    if (hasTooManyBytes()) onOverLimit();
  });
  conn.on('flush', () => {
    bytes = 0;
    flushedSince = queuedSince;
    queuedSince = undefined;
  });
  conn.transport.on('drain', () => {
    flushedSince = undefined;
  });
  return {
    isOverLimit: () => hasTooManyBytes() || now() - (flushedSince ?? queuedSince ?? Infinity) >= MAX_UNSENT_AGE_MS,
  };
}

export const MAX_ROOMS_PER_SOCKET = 8;
const MAX_PENDING_REQUESTS = 16;
/** socket.io drops acknowledgements after this time. Callers give up far earlier. */
const ACK_TIMEOUT_MS = 2 * MINUTE_MS;
const CREDENTIAL_CACHE_TTL_MS = 1000;

/** An event with newest-wins delivery, and its server time. */
export interface NewestEvent extends SentEvent {
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
}

/** A connected socket, and what the server knows about it. */
export interface SocketConnection extends Connection {
  readonly peer: ClientPeer;
  /** Origin under which the handshake reached this server. */
  readonly origin: string;
  /** Whether a page opened it, which sends the header `Origin`. */
  readonly isPage: boolean;
  /** The `User-Agent` of its handshake, at most 300 characters. */
  readonly userAgent: string;
  /** The `Cookie` header of its handshake. */
  readonly cookies: string | undefined;
  /** Its verified session and token, which apply to events without a token. */
  readonly getCredential: () => { readonly session: LiveSession; readonly token: string } | undefined;
  /** Whether the credential was checked within the last second. If its session ends, the socket is closed anyway. */
  readonly isCredentialFresh: () => boolean;
  readonly refreshCredential: () => void;
  readonly authenticate: (session: LiveSession, token: string) => void;
  /** Whether it has neither a credential nor a room. */
  readonly isUnauthenticated: () => boolean;
  readonly checkRate: () => RateVerdict;
  /** Runs a task after all earlier ones. */
  readonly runInOrder: (task: () => Promise<void>) => void;
  /** Whether no task is pending. */
  readonly isIdle: () => boolean;
  readonly sendNewest: (event: ServerEvent, newest: NewestEvent) => void;
  readonly request: (name: string, data: unknown, timeoutMs: number) => Promise<unknown>;
  readonly closeIfTooSlow: () => void;
}

interface SocketConnectionOptions {
  readonly socket: Socket;
  readonly peer: ClientPeer;
  readonly timers: Timers;
  readonly metrics: MetricsRecorder;
  /** Called once, when it authenticates. */
  readonly onAuthenticated: () => void;
}

/** Returns the event's arguments. The time is in the metadata if there is any, else in the data. */
const toArguments = ({ data, metadata, sentAt }: NewestEvent): readonly unknown[] =>
  metadata === undefined ? [{ ...data, sentAt }] : [data, { ...metadata, sentAt }];

/** Creates a sender of events with newest-wins delivery. Each event name has its own ack window. */
function createNewestSender(socket: Socket, metrics: MetricsRecorder): SocketConnection['sendNewest'] {
  const windows = new Map<string, AckWindow<NewestEvent>>();
  socket.conn.on('packetCreate', ({ type }: { readonly type: string }) => {
    if (type === 'ping') for (const window of windows.values()) window.onHeartbeatSent();
  });
  socket.conn.on('heartbeat', () => {
    for (const window of windows.values()) window.onHeartbeatReceived();
  });
  const createWindow = (event: ServerEvent): AckWindow<NewestEvent> =>
    createAckWindow<NewestEvent>(
      (newest, acknowledge, isSilent) => {
        const args = toArguments(newest);
        if (!isSilent) return void socket.emit(event.name, ...args, acknowledge);
        // Without a timeout, acknowledgements that never come would be stored indefinitely.
        socket.timeout(ACK_TIMEOUT_MS).emit(event.name, ...args, (error: Error | null) => {
          if (error === null) acknowledge();
        });
      },
      {
        merge: event.merge && ((older, newer) => ({ ...newer, ...event.merge?.(older, newer) })),
        key: event.key && ((newest) => event.key?.(newest) ?? ''),
        onReplaced: () => metrics.count('outdated'),
      },
    );
  return (event, newest) => {
    let window = windows.get(event.name);
    if (!window) windows.set(event.name, (window = createWindow(event)));
    window.send(newest);
  };
}

/** Creates the server's side of a connected socket. */
export function createSocketConnection(options: SocketConnectionOptions): SocketConnection {
  const { socket, peer, timers, metrics, onAuthenticated } = options;
  const closeListeners = new Set<(reason: CloseReason | 'lost') => void>();
  const pendingRequests = new Set<() => void>();
  const bucket = createTokenBucket(timers.now());
  let closeReason: CloseReason | 'lost' = 'lost';
  let credential: ReturnType<SocketConnection['getCredential']>;
  let credentialFreshUntil = -Infinity;
  const enqueue = createSerialQueue();
  let pendingTaskCount = 0;

  function close(reason: CloseReason): void {
    if (!socket.connected) return;
    closeReason = reason;
    metrics.countClosed(reason);
    socket.emit(closing.name, { reason });
    socket.disconnect(true);
  }
  /** Cuts a connection whose buffer is full, so that no reason could be sent. */
  function destroy(): void {
    if (closeReason !== 'lost') return;
    closeReason = 'too slow';
    metrics.countClosed(closeReason);
    socket.request.socket.destroy();
  }
  const unsent = createUnsentMonitor(socket, timers, destroy);
  const countRooms = (): number => socket.rooms.size - 1; // socket.io adds each socket to a room of its own

  socket.on('disconnect', () => {
    for (const rejectRequest of pendingRequests) rejectRequest();
    for (const listener of closeListeners) listener(closeReason);
    socket.conn.close(); // a client that only left the namespace would keep the connection open
  });

  return {
    id: socket.id,
    peer,
    userAgent: truncateUserAgent(socket.handshake.headers['user-agent']),
    origin: getRequestOrigin(socket.request, peer),
    isPage: socket.handshake.headers.origin !== undefined,
    cookies: socket.handshake.headers.cookie,
    getCredential: () => credential,
    isCredentialFresh: () => timers.now() < credentialFreshUntil,
    refreshCredential: () => {
      credentialFreshUntil = timers.now() + CREDENTIAL_CACHE_TTL_MS;
    },
    authenticate: (session, token) => {
      if (credential === undefined) onAuthenticated();
      credential = { session, token };
    },
    isUnauthenticated: () => credential === undefined && countRooms() === 0,
    join: (room: Room) => {
      if (!socket.rooms.has(room) && countRooms() >= MAX_ROOMS_PER_SOCKET)
        throw new Refusal('realtime.too_many_rooms', 'too many rooms');
      void socket.join(room);
    },
    leave: (room: Room) => void socket.leave(room),
    onClose: (listener) => {
      if (socket.connected) closeListeners.add(listener);
      else listener(closeReason);
    },
    close,
    checkRate: () => bucket(timers.now()),
    runInOrder: (task) => {
      pendingTaskCount += 1;
      void enqueue(task).finally(() => {
        pendingTaskCount -= 1;
      });
    },
    isIdle: () => pendingTaskCount === 0,
    sendNewest: createNewestSender(socket, metrics),
    request: (name, data, timeoutMs) =>
      new Promise((resolve, reject) => {
        if (pendingRequests.size >= MAX_PENDING_REQUESTS)
          return reject(new Refusal('device.busy', 'The device has too many pending commands. Try again in a moment'));
        function rejectRequest(): void {
          finish();
          reject(new Refusal('device.no_response', NO_ANSWER_MESSAGE));
        }
        const cancelTimeout = timers.schedule(timeoutMs, rejectRequest);
        function finish(): void {
          cancelTimeout();
          pendingRequests.delete(rejectRequest);
        }
        pendingRequests.add(rejectRequest);
        socket.timeout(ACK_TIMEOUT_MS).emit(name, data, (error: Error | null, answer: unknown) => {
          finish();
          if (error === null) resolve(answer);
          else reject(new Refusal('device.no_response', NO_ANSWER_MESSAGE));
        });
      }),
    closeIfTooSlow: () => {
      if (unsent.isOverLimit()) destroy();
    },
  };
}
