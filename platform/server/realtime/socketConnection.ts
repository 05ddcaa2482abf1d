import type { Socket } from 'socket.io';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import type { SentEvent, ServerEvent } from '#platform/contract/event.ts';
import { closing, type CloseReason } from '#platform/contract/realtime.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { getRequestOrigin, type ClientPeer } from '../http/address.ts';
import type { LiveSession } from '../identity/identity.ts';
import type { Timers } from '../schedule/timers.ts';
import type { Connection } from '../tool.ts';
import { type AckWindow, createAckWindow } from './ackWindow.ts';
import type { Room } from './realtime.ts';
import type { MetricsRecorder } from './realtimeMetrics.ts';

const EVENTS_PER_SECOND = 100;
const MAX_BURST = 200;
const OVERLOAD_TIMEOUT_MS = 5000;
/** Over the rate with pauses shorter than this is over it on end. */
const MAX_GAP_MS = 1000;

/** What becomes of an event: it is taken, dropped, or the last drop that the socket had. */
export type RateVerdict = 'taken' | 'dropped' | 'enough';

/**
 * Lets 100 events a second through, 200 at once; `enough` once events were dropped for 5 s on end (reliability.md section 4).
 * `now` is milliseconds of a clock that only goes forward.
 */
export function createTokenBucket(start: number): (now: number) => RateVerdict {
  let left = MAX_BURST;
  let filled = start;
  let firstDrop = 0;
  let lastDrop = -Infinity;
  return (now) => {
    left = Math.min(MAX_BURST, left + ((now - filled) * EVENTS_PER_SECOND) / 1000);
    filled = now;
    if (left >= 1) {
      left -= 1;
      return 'taken';
    }
    if (now - lastDrop > MAX_GAP_MS) firstDrop = now;
    lastDrop = now;
    return now - firstDrop >= OVERLOAD_TIMEOUT_MS ? 'enough' : 'dropped';
  };
}

export const MAX_UNSENT_BYTES = 1024 * 1024;
export const MAX_UNSENT_AGE_MS = 15_000;

type Wire = Socket['conn'];

/** Watches what a socket has been sent and has not taken. */
export interface UnsentMonitor {
  /** Over 1 MiB, or over 15 s old. */
  readonly isOverLimit: () => boolean;
}

/** `tooMuch` is called as soon as a packet makes it more than 1 MiB. */
export function monitorUnsent(socket: Socket, { now }: Timers, tooMuch: () => void): UnsentMonitor {
  const wire: Wire = socket.conn;
  const line = socket.request.socket;
  let bytes = 0;
  let queuedSince: number | undefined;
  let flyingSince: number | undefined;
  const isOver = (): boolean => bytes + line.writableLength > MAX_UNSENT_BYTES;

  wire.on('packetCreate', ({ data }: { readonly data?: unknown }) => {
    if (typeof data === 'string') bytes += data.length;
    else if (data instanceof Uint8Array) bytes += data.byteLength;
    queuedSince ??= now();
    if (isOver()) tooMuch();
  });
  wire.on('flush', () => {
    bytes = 0;
    flyingSince = queuedSince;
    queuedSince = undefined;
  });
  wire.transport.on('drain', () => {
    flyingSince = undefined;
  });
  return {
    isOverLimit: () => isOver() || now() - (flyingSince ?? queuedSince ?? Infinity) >= MAX_UNSENT_AGE_MS,
  };
}

export const MAX_ROOMS_PER_SOCKET = 8;
const MAX_PENDING_REQUESTS = 16;
/** socket.io forgets an acknowledgement that never came after this; who waits for it gives up far earlier. */
const ACK_TIMEOUT_MS = 120_000;
const CREDENTIAL_CACHE_TTL_MS = 1000;

/** An event of which the newest counts, with the time that the server said it. */
export interface NewestEvent extends SentEvent {
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
}

/** One connected socket, with what the server knows of it and holds back from it. */
export interface SocketConnection extends Connection {
  readonly peer: ClientPeer;
  /** Under which its handshake reached this server. */
  readonly origin: string;
  /** The `User-Agent` of its handshake, at most 300 characters. */
  readonly browser: string;
  /** The `Cookie` header of its handshake. */
  readonly cookies: string | undefined;
  /** What it proved itself with. Events that carry no token count as this one's. */
  readonly getCredential: () => { readonly session: LiveSession; readonly token: string } | undefined;
  /** The proof was looked up within the last second. Should its session end meanwhile, this socket is closed. */
  readonly isCredentialFresh: () => boolean;
  readonly refreshCredential: () => void;
  readonly authenticate: (session: LiveSession, token: string) => void;
  /** Neither a token nor a room. */
  readonly isUnauthenticated: () => boolean;
  readonly checkRate: () => RateVerdict;
  /** Runs when all that was started before has been let in: events are taken in the order in which they came. */
  readonly runInOrder: (next: () => Promise<void>) => void;
  /** Nothing is being let in. */
  readonly isIdle: () => boolean;
  readonly sendNewest: (event: ServerEvent, newest: NewestEvent) => void;
  readonly request: (name: string, data: unknown, patienceMs: number) => Promise<unknown>;
  readonly closeIfTooSlow: () => void;
}

interface SocketConnectionOptions {
  readonly socket: Socket;
  readonly peer: ClientPeer;
  readonly timers: Timers;
  readonly metrics: MetricsRecorder;
  /** Runs once, when it proves itself. */
  readonly onAuthenticated: () => void;
}

/** What a browser or program calls itself, cut to what is kept. */
export function truncateUserAgent(userAgent: string | undefined): string {
  return (userAgent ?? '').slice(0, 300);
}

/** Runs one after another. */
const createSerialQueue = () => {
  let last = Promise.resolve();
  let waiting = 0;
  const follow = async (before: Promise<void>, next: () => Promise<void>): Promise<void> => {
    await before;
    await next();
    waiting -= 1;
  };
  return {
    add: (next: () => Promise<void>): void => {
      waiting += 1;
      last = follow(last, next);
    },
    isEmpty: () => waiting === 0,
  };
};

/** The time stands with what is behind the data where there is something, else with the data. */
const argumentsOf = ({ data, metadata, sentAt }: NewestEvent): readonly unknown[] =>
  metadata === undefined ? [{ ...data, sentAt }] : [data, { ...metadata, sentAt }];

/** One window for each kind of event of which the newest counts. */
const createAckWindows = (socket: Socket, counting: MetricsRecorder): SocketConnection['sendNewest'] => {
  const windows = new Map<string, AckWindow<NewestEvent>>();
  socket.conn.on('packetCreate', ({ type }: { readonly type: string }) => {
    if (type === 'ping') for (const window of windows.values()) window.onHeartbeatSent();
  });
  socket.conn.on('heartbeat', () => {
    for (const window of windows.values()) window.onHeartbeatReceived();
  });
  const make = (event: ServerEvent): AckWindow<NewestEvent> =>
    createAckWindow<NewestEvent>(
      (newest, taken, isSilent) => {
        const args = argumentsOf(newest);
        if (!isSilent) return void socket.emit(event.name, ...args, taken);
        // What is never acknowledged would be kept for ever.
        socket.timeout(ACK_TIMEOUT_MS).emit(event.name, ...args, (error: Error | null) => {
          if (error === null) taken();
        });
      },
      {
        merge: event.merge && ((older, newer) => ({ ...newer, ...event.merge?.(older, newer) })),
        key: event.key && ((newest) => event.key?.(newest) ?? ''),
        lost: () => counting.count('outdated'),
      },
    );
  return (event, newest) => {
    let window = windows.get(event.name);
    if (!window) windows.set(event.name, (window = make(event)));
    window.send(newest);
  };
};

export function createSocketConnection({
  socket,
  peer,
  timers,
  metrics,
  onAuthenticated,
}: SocketConnectionOptions): SocketConnection {
  const closers = new Set<(reason: CloseReason | 'lost') => void>();
  const asking = new Set<() => void>();
  const bucket = createTokenBucket(timers.now());
  let why: CloseReason | 'lost' = 'lost';
  let proof: ReturnType<SocketConnection['getCredential']>;
  let freshUntil = -Infinity;
  const entering = createSerialQueue();

  const close = (reason: CloseReason): void => {
    if (!socket.connected) return;
    why = reason;
    metrics.countClosed(reason);
    socket.emit(closing.name, { reason });
    socket.disconnect(true);
  };
  /** The line is full: nothing that we say to it would arrive. */
  const cut = (): void => {
    if (why !== 'lost') return;
    why = 'too slow';
    metrics.countClosed(why);
    socket.request.socket.destroy();
  };
  const unsent = monitorUnsent(socket, timers, cut);
  const roomCount = (): number => socket.rooms.size - 1; // socket.io gives each socket a room of its own

  socket.on('disconnect', () => {
    for (const giveUp of asking) giveUp();
    for (const then of closers) then(why);
    socket.conn.close(); // a client that only left the namespace would keep the connection
  });

  return {
    id: socket.id,
    peer,
    browser: truncateUserAgent(socket.handshake.headers['user-agent']),
    origin: getRequestOrigin(socket.request, peer),
    cookies: socket.handshake.headers.cookie,
    getCredential: () => proof,
    isCredentialFresh: () => timers.now() < freshUntil,
    refreshCredential: () => {
      freshUntil = timers.now() + CREDENTIAL_CACHE_TTL_MS;
    },
    authenticate: (session, token) => {
      if (proof === undefined) onAuthenticated();
      proof = { session, token };
    },
    isUnauthenticated: () => proof === undefined && roomCount() === 0,
    join: (room: Room) => {
      if (!socket.rooms.has(room) && roomCount() >= MAX_ROOMS_PER_SOCKET) throw new Refusal('too many rooms');
      void socket.join(room);
    },
    leave: (room: Room) => void socket.leave(room),
    onClose: (then) => {
      if (socket.connected) closers.add(then);
      else then(why);
    },
    close,
    checkRate: () => bucket(timers.now()),
    runInOrder: entering.add,
    isIdle: entering.isEmpty,
    sendNewest: createAckWindows(socket, metrics),
    request: (name, data, patienceMs) =>
      new Promise((resolve, reject) => {
        if (asking.size >= MAX_PENDING_REQUESTS) return reject(new Refusal('device has too much to do, try again'));
        const giveUp = (): void => {
          end();
          reject(new Refusal(NO_ANSWER_MESSAGE));
        };
        const callOff = timers.schedule(patienceMs, giveUp);
        const end = (): void => {
          callOff();
          asking.delete(giveUp);
        };
        asking.add(giveUp);
        socket.timeout(ACK_TIMEOUT_MS).emit(name, data, (error: Error | null, answer: unknown) => {
          end();
          if (error === null) resolve(answer);
          else reject(new Refusal(NO_ANSWER_MESSAGE));
        });
      }),
    closeIfTooSlow: () => {
      if (unsent.isOverLimit()) cut();
    },
  };
}
