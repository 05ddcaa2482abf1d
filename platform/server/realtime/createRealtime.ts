import { type IncomingHttpHeaders, type IncomingMessage, type Server as HttpServer, createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { type ServerOptions, type Socket, Server } from 'socket.io';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { INVALID_TOKEN_MESSAGE, InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { getAddressKey, type IncomingRequest, type ClientPeer } from '../http/address.ts';
import { type RateLimiter, RateLimitError } from '../http/rateLimiter.ts';
import type { Identity, LiveSession } from '../identity/identity.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import { scheduleRepeating, realTimers, type Timers } from '../schedule/timers.ts';
import type { Listener } from '../tool.ts';
import { createEventReceiver, createSessionFinder } from './eventReceiver.ts';
import type { Realtime, Room } from './realtime.ts';
import { type RealtimeMetrics, createMetricsRecorder } from './realtimeMetrics.ts';
import { createRoomListeners } from './rooms.ts';
import { truncateUserAgent, type SocketConnection, createSocketConnection } from './socketConnection.ts';

/** Sockets at once (reliability.md section 4). */
export const MAX_SOCKETS = { all: 2000, address: 100, unproven: 20, account: 50 } as const;

/** How many there are by each key, with a most. */
export interface Tally {
  readonly isFull: (key: string | number, most: number) => boolean;
  /** Gives back how to take it out again, which counts once. */
  readonly add: (key: string | number) => () => void;
  readonly total: () => number;
}

export function createTally(): Tally {
  const counts = new Map<string | number, number>();
  let total = 0;
  return {
    isFull: (key, most) => (counts.get(key) ?? 0) >= most,
    add: (key) => {
      let isIn = true;
      total += 1;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return () => {
        if (!isIn) return;
        isIn = false;
        total -= 1;
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
    total: () => total,
  };
}

/** A client that does not take part in closing is cut off after this. */
const CLOSE_TIMEOUT_MS = 500;

export interface SocketGateway {
  readonly io: Server;
  /** Lets nobody in any more, and waits until all are gone. */
  readonly close: () => Promise<void>;
}

/** socket.io on the upgrades of an http server. Plain requests to its path stay with the http server: its answers carry our headers. */
export function createSocketGateway(http: HttpServer, options: Partial<ServerOptions>): SocketGateway {
  const inner = createServer(); // listens nowhere
  const io = new Server(inner, options);
  const wires = new Set<Duplex>();
  let isShut = false;
  http.on('upgrade', (request, wire, head) => {
    if (isShut) return void wire.destroy();
    wires.add(wire);
    wire.once('close', () => wires.delete(wire));
    inner.emit('upgrade', request, wire, head);
  });
  return {
    io,
    close: async () => {
      isShut = true;
      io.engine.close();
      const gone = Promise.all([...wires].map((wire) => new Promise((done) => wire.once('close', done))));
      const timer = setTimeout(() => {
        for (const wire of wires) wire.destroy();
      }, CLOSE_TIMEOUT_MS);
      await gone;
      clearTimeout(timer);
      await io.close();
    },
  };
}

/** A socket that has proven nothing and joined nothing by then is closed. */
export const UNAUTHENTICATED_TIMEOUT_MS = 30_000;
const CHECK_INTERVAL_MS = 5000;
/** Sessions of sockets that say nothing are asked after this often: to keep them in use, and to see that they have expired. */
const SESSION_CHECK_INTERVAL_MS = 600_000;
const TOO_MANY_CONNECTIONS_MESSAGE = 'too many connections';
/** Ids of sessions that have ended, for sockets that were just coming in; ids are never given again. */
const ENDED_SESSION_CACHE_SIZE = 10_000;
const LOCAL_FACTOR = 10;

export interface RealtimeOptions {
  readonly http: HttpServer;
  readonly identity: Pick<Identity, 'findSession' | 'recordUse' | 'onSessionsEnded'>;
  readonly limits: RateLimiter;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  readonly peerOf: (request: IncomingRequest) => ClientPeer;
  /** `false` lifts the counts by address, never the totals. */
  readonly rateLimits?: boolean;
  readonly timers?: Timers;
}

export interface RealtimeService extends Realtime {
  /** Adds listeners; all are there before the server listens. */
  readonly addListeners: (listeners: readonly Listener[]) => void;
  readonly getMetrics: () => RealtimeMetrics;
  /** Tells every socket 'server restarting' and closes it. */
  readonly stop: () => Promise<void>;
}

type SocketCredential = NonNullable<ReturnType<SocketConnection['getCredential']>>;

const refusedHandshake = (message: string): Error => Object.assign(new Error(message), { data: { message } });

const tokenOf = ({ handshake }: Socket): string | undefined => {
  const { token } = handshake.auth as { readonly token?: unknown };
  return typeof token === 'string' && token !== '' ? token : undefined;
};

const ENGINE: Partial<ServerOptions> = {
  path: SOCKET_PATH,
  transports: ['websocket'],
  serveClient: false,
  perMessageDeflate: false,
  httpCompression: false,
  maxHttpBufferSize: 64 * 1024,
  pingInterval: 10_000,
  pingTimeout: 8000,
  connectTimeout: 10_000,
};

/** The sockets of pages and agents (contract.md section 2, reliability.md section 4). */
export function createRealtime(options: RealtimeOptions): RealtimeService {
  const { identity, limits, log, peerOf, timers = realTimers } = options;
  const counting = createMetricsRecorder();
  const listeners = new Map<string, Listener>();
  const lines = new Map<string, SocketConnection>();
  const ended = new Set<number>();
  const [addresses, strangers, accounts] = [createTally(), createTally(), createTally()];
  const find = createSessionFinder({ identity, limits });
  const isFull = ({ account }: LiveSession): boolean => accounts.isFull(account, MAX_SOCKETS.account);
  const isFullFor = (kind: 'address' | 'unproven', { address, isLocal }: ClientPeer): boolean =>
    options.rateLimits !== false &&
    (kind === 'address' ? addresses : strangers).isFull(
      getAddressKey(address),
      MAX_SOCKETS[kind] * (isLocal ? LOCAL_FACTOR : 1),
    );

  /** Why a handshake is turned away before anything is read of it. */
  const refusal = (request: IncomingMessage): string | undefined => {
    const peer = peerOf(request);
    if (!options.isAllowedOrigin(request.headers)) {
      logSecurityEvent(log, 'origin.refused', { address: peer.address });
      return 'origin not allowed';
    }
    if (addresses.total() >= MAX_SOCKETS.all || isFullFor('address', peer)) return TOO_MANY_CONNECTIONS_MESSAGE;
    request.socket.once('close', addresses.add(getAddressKey(peer.address)));
    return undefined;
  };
  const gate = createSocketGateway(options.http, {
    ...ENGINE,
    allowRequest: (request, decide) => {
      const why = refusal(request);
      decide(why, why === undefined);
    },
  });
  const { io } = gate;
  const { rooms } = io.of('/').adapter;
  const linesIn = (...asked: readonly Room[]): SocketConnection[] => {
    const found = new Set<SocketConnection>();
    for (const room of asked)
      for (const id of rooms.get(room) ?? []) {
        const line = lines.get(id);
        if (line) found.add(line);
      }
    return [...found];
  };

  /** Puts a socket into the rooms of a session: it is closed when that session ends. */
  const admit = (line: SocketConnection, session: LiveSession, token: string): void => {
    if (ended.has(session.id)) throw new InvalidTokenRefusal();
    if (line.getCredential() === undefined) {
      if (isFull(session)) throw new Refusal(TOO_MANY_CONNECTIONS_MESSAGE);
      line.authenticate(session, token);
      line.onClose(accounts.add(session.account));
    }
    line.join(`session:${session.id}`);
    if (session.kind === 'person') line.join(`account:${session.account}`);
  };

  const proofs = new WeakMap<Socket, SocketCredential>();
  const prove = async (socket: Socket, token: string): Promise<Error | undefined> => {
    try {
      const browser = truncateUserAgent(socket.handshake.headers['user-agent']);
      const session = await find(token, { peer: peerOf(socket.request), browser });
      if (!session) return refusedHandshake(INVALID_TOKEN_MESSAGE);
      if (isFull(session)) return refusedHandshake(TOO_MANY_CONNECTIONS_MESSAGE);
      proofs.set(socket, { session, token });
      return undefined;
    } catch (error) {
      if (error instanceof RateLimitError) return refusedHandshake(error.message);
      log.error({ err: error }, 'handshake failed');
      return refusedHandshake('server error');
    }
  };
  const handshake = async (socket: Socket, next: (error?: Error) => void): Promise<void> => {
    const token = tokenOf(socket);
    if (token !== undefined) next(await prove(socket, token));
    else
      next(isFullFor('unproven', peerOf(socket.request)) ? refusedHandshake(TOO_MANY_CONNECTIONS_MESSAGE) : undefined);
  };
  io.use((socket: Socket, next) => void handshake(socket, next));

  const receive = createEventReceiver({ identity, limits, log, metrics: counting, admit }, listeners);
  io.on('connection', (socket: Socket) => {
    const peer = peerOf(socket.request);
    const noStranger = strangers.add(getAddressKey(peer.address));
    const line = createSocketConnection({ socket, peer, timers, metrics: counting, onAuthenticated: noStranger });
    lines.set(line.id, line);
    const callOff = timers.schedule(UNAUTHENTICATED_TIMEOUT_MS, () => {
      if (line.isUnauthenticated()) line.close('nothing proven');
    });
    line.onClose(() => {
      callOff();
      noStranger();
      lines.delete(line.id);
    });
    socket.onAny((name: string, ...args: unknown[]) => receive(line, name, args));
    const proof = proofs.get(socket);
    try {
      if (proof) admit(line, proof.session, proof.token);
    } catch (error) {
      line.close(error instanceof InvalidTokenRefusal ? 'session ended' : TOO_MANY_CONNECTIONS_MESSAGE);
    }
  });

  identity.onSessionsEnded((sessions) => {
    for (const session of sessions) {
      ended.add(session);
      for (const line of linesIn(`session:${session}`)) line.close('session ended');
    }
    for (const oldest of ended) {
      if (ended.size <= ENDED_SESSION_CACHE_SIZE) break;
      ended.delete(oldest);
    }
  });

  const confirm = async (line: SocketConnection): Promise<void> => {
    const proof = line.getCredential();
    if (proof !== undefined && (await find(proof.token, line)) === undefined) line.close('session ended');
  };
  const rounds = [
    scheduleRepeating(timers, CHECK_INTERVAL_MS, () => {
      for (const line of lines.values()) line.closeIfTooSlow();
    }),
    scheduleRepeating(timers, SESSION_CHECK_INTERVAL_MS, () => {
      for (const line of lines.values())
        confirm(line).catch((error: unknown) => log.error({ err: error }, 'session not confirmed'));
    }),
  ];

  const live: RealtimeService = {
    send: (to, event, data, about) => {
      const asked = typeof to === 'string' ? [to] : [...to];
      // To socket.io no room at all is every socket.
      if (asked.length === 0) return;
      const parsed = event.data.parse(data);
      const behind = about === undefined ? undefined : event.about?.parse(about);
      counting.count('sent');
      if (event.delivery === 'all') io.to(asked).emit(event.name, parsed, ...(behind ? [behind] : []));
      else {
        const newest = { data: parsed, metadata: behind, sentAt: options.now().epochMilliseconds };
        for (const line of linesIn(...asked)) line.sendNewest(event, newest);
      }
    },
    request: async (room, event, data, patienceMs) => {
      const line = linesIn(room).at(-1);
      if (!line) throw new Refusal(NO_ANSWER_MESSAGE);
      counting.count('sent');
      return line.request(event, data, patienceMs);
    },
    isEmpty: (room) => (rooms.get(room)?.size ?? 0) === 0,
    addListeners: (more) => {
      for (const listener of more) {
        if (listeners.has(listener.contract.name)) throw new Error(`two listeners for ${listener.contract.name}`);
        listeners.set(listener.contract.name, listener);
      }
    },
    getMetrics: () => counting.getMetrics(lines.size),
    stop: async () => {
      for (const callOff of rounds) callOff();
      for (const line of lines.values()) line.close('server restarting');
      await gate.close();
    },
  };
  live.addListeners(
    createRoomListeners({
      enter: async (token, connection) => {
        const line = lines.get(connection.id);
        const session = line && (await find(token, line));
        if (!line || session?.kind !== 'person') throw new InvalidTokenRefusal();
        admit(line, session, token);
        return session;
      },
    }),
  );
  return live;
}
