import { type IncomingHttpHeaders, type IncomingMessage, type Server as HttpServer, createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { type ServerOptions, type Socket, Server } from 'socket.io';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import type { ServerEvent } from '#platform/contract/event.ts';
import { type CloseReason, SOCKET_PATH, connectEvent, roomInit } from '#platform/contract/realtime.ts';
import { INVALID_TOKEN_MESSAGE, InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { loneCluster, type Cluster } from '../cluster/cluster.ts';
import { getAddressKey, type IncomingRequest, type ClientPeer } from '../http/address.ts';
import { LOCAL_RATE_FACTOR } from '../http/callRoutes.ts';
import { truncateUserAgent } from '../http/headers.ts';
import { type RateLimiter, RateLimitError } from '../http/rateLimiter.ts';
import { getTokenField } from '../http/requestBody.ts';
import { createTally } from '../http/tally.ts';
import { SuspendedRefusal } from '../identity/accountStore.ts';
import type { Identity, LiveSession } from '../identity/identity.ts';
import { isToken } from '../identity/tokens.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import { scheduleRepeating, realTimers, type Timers } from '../schedule/timers.ts';
import { DISK_FULL_MESSAGE, isDiskFullError } from '../storage/diskFullError.ts';
import { type JoinableRoom, type Listener, type Connection, listen } from '../tool.ts';
import { createEventReceiver, createSessionFinder } from './eventReceiver.ts';
import type { Realtime, Room } from './realtime.ts';
import { type RealtimeMetrics, createMetricsRecorder } from './realtimeMetrics.ts';
import { createRemoteRequests } from './remoteRequests.ts';
import { type NewestEvent, type SocketConnection, createSocketConnection } from './socketConnection.ts';

interface RoomListenersDeps {
  /** Finds the person's session of a token, and adds the socket to its rooms. @throws InvalidTokenRefusal */
  readonly admitByToken: (token: string, connection: Connection) => Promise<LiveSession>;
  readonly rooms: readonly JoinableRoom[];
}

/**
 * Creates the listeners of the two events with which a socket identifies itself and joins rooms
 * (docs/specification/platform.md section 3.2).
 */
function createRoomListeners({ admitByToken, rooms }: RoomListenersDeps): readonly Listener[] {
  return [
    listen(connectEvent, async () => ({})),
    listen(roomInit, async ({ id }, caller, connection) => {
      for (const room of rooms) {
        if ('id' in room && room.id === id) {
          connection.join(room.getRoom(caller));
          return;
        }
        if ('tokenSuffix' in room && id.endsWith(room.tokenSuffix) && !isToken(id)) {
          const session = await admitByToken(id.slice(0, -room.tokenSuffix.length), connection);
          connection.join(room.getRoom(session.account));
          return;
        }
      }
      await admitByToken(id, connection);
    }),
  ];
}

/** Maximum number of open sockets (docs/design/reliability.md section 9). */
export const MAX_SOCKETS = { all: 2000, address: 100, unauthenticated: 20, account: 50 } as const;

/** Time after which connections that have not closed are cut. */
const CLOSE_TIMEOUT_MS = 500;

/** A socket.io server on an HTTP server. */
export interface SocketGateway {
  readonly io: Server;
  /** Refuses new connections, and waits until all have closed. */
  readonly close: () => Promise<void>;
}

/**
 * Creates a socket.io server that handles the upgrades of an HTTP server.
 * Plain requests to its path stay with the HTTP server, which sends our headers.
 */
export function createSocketGateway(http: HttpServer, options: Partial<ServerOptions>): SocketGateway {
  const upgradeServer = createServer(); // it never listens
  const io = new Server(upgradeServer, options);
  const upgradedSockets = new Set<Duplex>();
  let isClosed = false;
  http.on('upgrade', (request, upgradedSocket, head) => {
    if (isClosed) return void upgradedSocket.destroy();
    upgradedSockets.add(upgradedSocket);
    upgradedSocket.once('close', () => upgradedSockets.delete(upgradedSocket));
    upgradeServer.emit('upgrade', request, upgradedSocket, head);
  });
  return {
    io,
    close: async () => {
      isClosed = true;
      io.engine.close();
      const allClosed = Promise.all(
        [...upgradedSockets].map((upgradedSocket) => new Promise((resolve) => upgradedSocket.once('close', resolve))),
      );
      const timer = setTimeout(() => {
        for (const upgradedSocket of upgradedSockets) upgradedSocket.destroy();
      }, CLOSE_TIMEOUT_MS);
      await allClosed;
      clearTimeout(timer);
      await io.close();
    },
  };
}

/** Time after which sockets without credential and rooms are closed. */
export const UNAUTHENTICATED_TIMEOUT_MS = 30_000;
const CHECK_INTERVAL_MS = 5000;
/** Interval at which sessions of silent sockets are checked, to keep them in use and to notice their expiry. */
const SESSION_CHECK_INTERVAL_MS = 10 * MINUTE_MS;
const TOO_MANY_CONNECTIONS_MESSAGE = 'too many connections';
/** Maximum number of recently ended sessions in memory, for sockets that are just connecting. */
const ENDED_SESSION_CACHE_SIZE = 10_000;

export interface RealtimeOptions {
  readonly http: HttpServer;
  readonly identity: Pick<Identity, 'findSession' | 'recordUse' | 'onSessionsEnded' | 'onSuspension'>;
  readonly rateLimiter: RateLimiter;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  readonly resolvePeer: (request: IncomingRequest) => ClientPeer;
  /** `false` removes the limits per address, but not the totals. */
  readonly rateLimits?: boolean;
  readonly timers?: Timers;
  readonly cluster?: Cluster;
  /** Sends events to the rooms of the other instances. */
  readonly adapter?: ServerOptions['adapter'] | undefined;
}

/** Realtime with its lifecycle, for the server. */
export interface RealtimeService extends Realtime {
  /** Adds listeners. Call it before the server listens. */
  readonly addListeners: (listeners: readonly Listener[]) => void;
  /** Adds rooms that sockets can join. Call it before the server listens. */
  readonly addRooms: (rooms: readonly JoinableRoom[]) => void;
  /** Adds the events of delivery `newest`. Other instances need to know how they are merged. */
  readonly addNewestEvents: (events: readonly ServerEvent[]) => void;
  /** Closes sockets whose session has ended, if notifications of that may have been lost. */
  readonly checkSessions: () => void;
  readonly getMetrics: () => RealtimeMetrics;
  /** Sends each socket 'server restarting' and closes it. */
  readonly stop: () => Promise<void>;
}

/** An event of delivery `newest` for the sockets of another instance. */
interface NewestMessage {
  readonly rooms: readonly Room[];
  readonly event: string;
  readonly newest: NewestEvent;
}

type SocketCredential = NonNullable<ReturnType<SocketConnection['getCredential']>>;

const createHandshakeError = (message: string, code?: string): Error =>
  Object.assign(new Error(message), { data: { message, code } });

/** Returns why a socket is closed that could not be admitted; undefined for another reason. */
function getCloseReason(error: unknown): CloseReason | undefined {
  if (error instanceof SuspendedRefusal) return 'account suspended';
  return error instanceof InvalidTokenRefusal ? 'session ended' : undefined;
}

const ENGINE_OPTIONS: Partial<ServerOptions> = {
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

/**
 * Creates the server's sockets for pages and agents
 * (docs/specification/platform.md section 3, docs/design/reliability.md section 9).
 */
export function createRealtime(options: RealtimeOptions): RealtimeService {
  const { identity, rateLimiter, log, resolvePeer, timers = realTimers, cluster = loneCluster } = options;
  const metrics = createMetricsRecorder();
  const listeners = new Map<string, Listener>();
  const connections = new Map<string, SocketConnection>();
  const endedSessions = new Set<number>();
  /** Accounts that were suspended since the start, for sockets that are just connecting. */
  const suspendedAccounts = new Set<number>();
  const [socketsByAddress, unauthenticatedByAddress, socketsByAccount] = [createTally(), createTally(), createTally()];
  const findSession = createSessionFinder({ identity, rateLimiter });
  const isFull = ({ account }: LiveSession): boolean => socketsByAccount.getCount(account) >= MAX_SOCKETS.account;
  const isFullFor = (kind: 'address' | 'unauthenticated', { address, isLocal }: ClientPeer): boolean =>
    options.rateLimits !== false &&
    (kind === 'address' ? socketsByAddress : unauthenticatedByAddress).getCount(getAddressKey(address)) >=
      MAX_SOCKETS[kind] * (isLocal ? LOCAL_RATE_FACTOR : 1);

  /** Returns why a handshake is refused before its data is read. */
  function getRefusalReason(request: IncomingMessage): string | undefined {
    const peer = resolvePeer(request);
    if (!options.isAllowedOrigin(request.headers)) {
      logSecurityEvent(log, 'origin.refused', { address: peer.address });
      return 'origin not allowed';
    }
    if (socketsByAddress.getTotal() >= MAX_SOCKETS.all || isFullFor('address', peer))
      return TOO_MANY_CONNECTIONS_MESSAGE;
    request.socket.once('close', socketsByAddress.add(getAddressKey(peer.address)));
    return undefined;
  }
  const gateway = createSocketGateway(options.http, {
    ...ENGINE_OPTIONS,
    ...(options.adapter && { adapter: options.adapter }),
    allowRequest: (request, decide) => {
      const reason = getRefusalReason(request);
      decide(reason, reason === undefined);
    },
  });
  const { io } = gateway;
  const { rooms } = io.of('/').adapter;
  function listConnections(...targetRooms: readonly Room[]): SocketConnection[] {
    const matches = new Set<SocketConnection>();
    for (const room of targetRooms)
      for (const id of rooms.get(room) ?? []) {
        const connection = connections.get(id);
        if (connection) matches.add(connection);
      }
    return [...matches];
  }

  /** Adds a socket to the rooms of a session. It is closed when that session ends. */
  function admit(connection: SocketConnection, session: LiveSession, token: string): void {
    if (endedSessions.has(session.id)) throw new InvalidTokenRefusal();
    if (suspendedAccounts.has(session.account)) throw new SuspendedRefusal();
    if (connection.getCredential() === undefined) {
      if (isFull(session)) throw new Refusal('realtime.too_many_connections', TOO_MANY_CONNECTIONS_MESSAGE);
      connection.authenticate(session, token);
      connection.onClose(socketsByAccount.add(session.account));
    }
    connection.join(`session:${session.id}`);
    if (session.kind === 'person') connection.join(`account:${session.account}`);
  }

  const credentialsBySocket = new WeakMap<Socket, SocketCredential>();
  async function authenticate(socket: Socket, token: string): Promise<Error | undefined> {
    try {
      const userAgent = truncateUserAgent(socket.handshake.headers['user-agent']);
      const session = await findSession(token, { peer: resolvePeer(socket.request), userAgent });
      if (!session) return createHandshakeError(INVALID_TOKEN_MESSAGE);
      if (isFull(session)) return createHandshakeError(TOO_MANY_CONNECTIONS_MESSAGE);
      credentialsBySocket.set(socket, { session, token });
      return undefined;
    } catch (error) {
      if (error instanceof RateLimitError) return createHandshakeError(error.message);
      if (error instanceof Refusal) return createHandshakeError(error.message, error.code);
      if (isDiskFullError(error)) return createHandshakeError(DISK_FULL_MESSAGE);
      log.error({ err: error }, 'realtime.handshake.failed');
      return createHandshakeError('server error');
    }
  }
  async function handleHandshake(socket: Socket, next: (error?: Error) => void): Promise<void> {
    const token = getTokenField(socket.handshake.auth);
    if (token !== undefined) next(await authenticate(socket, token));
    else
      next(
        isFullFor('unauthenticated', resolvePeer(socket.request))
          ? createHandshakeError(TOO_MANY_CONNECTIONS_MESSAGE)
          : undefined,
      );
  }
  io.use((socket: Socket, next) => void handleHandshake(socket, next));

  const receive = createEventReceiver({ identity, rateLimiter, log, metrics, admit }, listeners);
  io.on('connection', (socket: Socket) => {
    const peer = resolvePeer(socket.request);
    const removeUnauthenticated = unauthenticatedByAddress.add(getAddressKey(peer.address));
    const connection = createSocketConnection({
      socket,
      peer,
      timers,
      metrics,
      onAuthenticated: removeUnauthenticated,
    });
    connections.set(connection.id, connection);
    const cancel = timers.schedule(UNAUTHENTICATED_TIMEOUT_MS, () => {
      if (connection.isUnauthenticated()) connection.close('nothing proven');
    });
    connection.onClose(() => {
      cancel();
      removeUnauthenticated();
      connections.delete(connection.id);
    });
    socket.onAny((name: string, ...args: unknown[]) => receive(connection, name, args));
    const credential = credentialsBySocket.get(socket);
    try {
      if (credential) admit(connection, credential.session, credential.token);
    } catch (error) {
      connection.close(getCloseReason(error) ?? TOO_MANY_CONNECTIONS_MESSAGE);
    }
  });

  identity.onSessionsEnded((sessions) => {
    for (const session of sessions) {
      endedSessions.add(session);
      for (const connection of listConnections(`session:${session}`)) connection.close('session ended');
    }
    for (const oldest of endedSessions) {
      if (endedSessions.size <= ENDED_SESSION_CACHE_SIZE) break;
      endedSessions.delete(oldest);
    }
  });

  identity.onSuspension((account, isSuspended) => {
    if (!isSuspended) return void suspendedAccounts.delete(account);
    suspendedAccounts.add(account);
    for (const connection of connections.values())
      if (connection.getCredential()?.session.account === account) connection.close('account suspended');
  });

  async function checkSession(connection: SocketConnection): Promise<void> {
    const credential = connection.getCredential();
    if (credential === undefined) return;
    try {
      if ((await findSession(credential.token, connection)) === undefined) connection.close('session ended');
    } catch (error) {
      if (!(error instanceof SuspendedRefusal)) throw error;
      connection.close('account suspended');
    }
  }
  function checkSessions(): void {
    for (const connection of connections.values())
      checkSession(connection).catch((error: unknown) => log.error({ err: error }, 'realtime.session_check.failed'));
  }
  const cancelTasks = [
    scheduleRepeating(timers, CHECK_INTERVAL_MS, () => {
      for (const connection of connections.values()) connection.closeIfTooSlow();
    }),
    scheduleRepeating(timers, SESSION_CHECK_INTERVAL_MS, checkSessions),
  ];

  const joinableRooms: JoinableRoom[] = [];
  const newestEvents = new Map<string, ServerEvent>();
  function sendNewestHere(targetRooms: readonly Room[], event: ServerEvent, newest: NewestEvent): void {
    for (const connection of listConnections(...targetRooms)) connection.sendNewest(event, newest);
  }
  cluster.subscribe('realtime.newest', ({ rooms: targetRooms, event, newest }: NewestMessage, from) => {
    const known = newestEvents.get(event);
    // Receivers know the clock of the instance that they are connected to.
    if (known) sendNewestHere(targetRooms, known, { ...newest, sentAt: cluster.toLocalTime(newest.sentAt, from) });
  });
  const requestElsewhere = createRemoteRequests({
    cluster,
    timers,
    findConnection: (room) => listConnections(room).at(-1),
  });

  const service: RealtimeService = {
    send: (target, event, data, metadata) => {
      const targetRooms = typeof target === 'string' ? [target] : [...target];
      // socket.io treats an empty list of rooms as all sockets.
      if (targetRooms.length === 0) return;
      const parsed = event.data.parse(data);
      const parsedMetadata = metadata === undefined ? undefined : event.about?.parse(metadata);
      metrics.count('sent');
      if (event.delivery === 'all')
        io.to(targetRooms).emit(event.name, parsed, ...(parsedMetadata ? [parsedMetadata] : []));
      else {
        const newest = { data: parsed, metadata: parsedMetadata, sentAt: options.now().epochMilliseconds };
        sendNewestHere(targetRooms, event, newest);
        if (cluster.isShared && !newestEvents.has(event.name)) throw new Error(`${event.name} is not in newestEvents`);
        cluster.publish('realtime.newest', { rooms: targetRooms, event: event.name, newest } satisfies NewestMessage);
      }
    },
    sendHere: (room, event, data) => {
      metrics.count('sent');
      io.local.to(room).emit(event.name, event.data.parse(data));
    },
    request: async (room, event, data, timeoutMs) => {
      const connection = listConnections(room).at(-1);
      if (!connection && !cluster.isShared) throw new Refusal('device.no_response', NO_ANSWER_MESSAGE);
      metrics.count('sent');
      return connection
        ? connection.request(event, data, timeoutMs)
        : requestElsewhere({ room, event, data, timeoutMs });
    },
    isEmpty: (room) => !cluster.isShared && (rooms.get(room)?.size ?? 0) === 0,
    addListeners: (newListeners) => {
      for (const listener of newListeners) {
        if (listeners.has(listener.contract.name)) throw new Error(`two listeners for ${listener.contract.name}`);
        listeners.set(listener.contract.name, listener);
      }
    },
    addNewestEvents: (events) => {
      for (const event of events) newestEvents.set(event.name, event);
    },
    addRooms: (newRooms) => void joinableRooms.push(...newRooms),
    checkSessions,
    getMetrics: () => metrics.getMetrics(connections.size),
    stop: async () => {
      for (const cancel of cancelTasks) cancel();
      for (const connection of connections.values()) connection.close('server restarting');
      await gateway.close();
    },
  };
  service.addListeners(
    createRoomListeners({
      rooms: joinableRooms,
      admitByToken: async (token, { id }) => {
        const connection = connections.get(id);
        const session = connection && (await findSession(token, connection));
        if (!connection || session?.kind !== 'person') throw new InvalidTokenRefusal();
        admit(connection, session, token);
        return session;
      },
    }),
  );
  return service;
}
