import type { IncomingHttpHeaders, IncomingMessage, Server as HttpServer } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { ServerOptions, Socket } from 'socket.io';
import { NO_ANSWER } from '#platform/contract/command.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { INVALID_TOKEN, InvalidToken, Refusal } from '#platform/contract/refusal.ts';
import { addressKey, type Incoming, type Peer } from '../address.ts';
import type { Identity, LiveSession } from '../identity/identity.ts';
import { type Limits, TooMany } from '../limits.ts';
import { securityEvent } from '../log.ts';
import type { Listener } from '../tool.ts';
import { makeTally, SOCKETS } from './counts.ts';
import { makeReceiver, makeSessionFinder } from './events.ts';
import { type Figures, makeCounting } from './figures.ts';
import { openGate } from './gate.ts';
import { browserOf, type Line, makeLine } from './line.ts';
import type { Realtime, Room } from './realtime.ts';
import { roomListeners } from './rooms.ts';
import { every, realTimers, type Timers } from './timers.ts';

/** A socket that has proven nothing and joined nothing by then is closed. */
export const STRANGER_MS = 30_000;
const LOOK_ROUND_MS = 5000;
/** Sessions of sockets that say nothing are asked after this often: to keep them in use, and to see that they have expired. */
const CONFIRM_MS = 600_000;
const TOO_MANY = 'too many connections';
/** Ids of sessions that have ended, for sockets that were just coming in; ids are never given again. */
const REMEMBERED = 10_000;
const LOCAL_FACTOR = 10;

export interface RealtimeOptions {
  readonly http: HttpServer;
  readonly identity: Pick<Identity, 'sessionOf' | 'seen' | 'onEnded'>;
  readonly limits: Limits;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  readonly peerOf: (request: Incoming) => Peer;
  /** `false` lifts the counts by address, never the totals. */
  readonly rateLimits?: boolean;
  readonly timers?: Timers;
}

export interface LiveRealtime extends Realtime {
  /** Adds listeners; all are there before the server listens. */
  readonly listen: (listeners: readonly Listener[]) => void;
  readonly figures: () => Figures;
  /** Tells every socket 'server restarting' and closes it. */
  readonly stop: () => Promise<void>;
}

type Proof = NonNullable<ReturnType<Line['proof']>>;

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
export const makeRealtime = (options: RealtimeOptions): LiveRealtime => {
  const { identity, limits, log, peerOf, timers = realTimers } = options;
  const counting = makeCounting();
  const listeners = new Map<string, Listener>();
  const lines = new Map<string, Line>();
  const ended = new Set<number>();
  const [addresses, strangers, accounts] = [makeTally(), makeTally(), makeTally()];
  const find = makeSessionFinder({ identity, limits });
  const isFull = ({ account }: LiveSession): boolean => accounts.isFull(account, SOCKETS.account);
  const isFullFor = (kind: 'address' | 'unproven', { address, isLocal }: Peer): boolean =>
    options.rateLimits !== false &&
    (kind === 'address' ? addresses : strangers).isFull(
      addressKey(address),
      SOCKETS[kind] * (isLocal ? LOCAL_FACTOR : 1),
    );

  /** Why a handshake is turned away before anything is read of it. */
  const refusal = (request: IncomingMessage): string | undefined => {
    const peer = peerOf(request);
    if (!options.isAllowedOrigin(request.headers)) {
      securityEvent(log, 'origin.refused', { address: peer.address });
      return 'origin not allowed';
    }
    if (addresses.total() >= SOCKETS.all || isFullFor('address', peer)) return TOO_MANY;
    request.socket.once('close', addresses.add(addressKey(peer.address)));
    return undefined;
  };
  const gate = openGate(options.http, {
    ...ENGINE,
    allowRequest: (request, decide) => {
      const why = refusal(request);
      decide(why, why === undefined);
    },
  });
  const { io } = gate;
  const { rooms } = io.of('/').adapter;
  const linesIn = (...asked: readonly Room[]): Line[] => {
    const found = new Set<Line>();
    for (const room of asked)
      for (const id of rooms.get(room) ?? []) {
        const line = lines.get(id);
        if (line) found.add(line);
      }
    return [...found];
  };

  /** Puts a socket into the rooms of a session: it is closed when that session ends. */
  const admit = (line: Line, session: LiveSession, token: string): void => {
    if (ended.has(session.id)) throw new InvalidToken();
    if (line.proof() === undefined) {
      if (isFull(session)) throw new Refusal(TOO_MANY);
      line.prove(session, token);
      line.onClose(accounts.add(session.account));
    }
    line.join(`session:${session.id}`);
    if (session.kind === 'person') line.join(`account:${session.account}`);
  };

  const proofs = new WeakMap<Socket, Proof>();
  const prove = async (socket: Socket, token: string): Promise<Error | undefined> => {
    try {
      const browser = browserOf(socket.handshake.headers['user-agent']);
      const session = await find(token, { peer: peerOf(socket.request), browser });
      if (!session) return refusedHandshake(INVALID_TOKEN);
      if (isFull(session)) return refusedHandshake(TOO_MANY);
      proofs.set(socket, { session, token });
      return undefined;
    } catch (error) {
      if (error instanceof TooMany) return refusedHandshake(error.message);
      log.error({ err: error }, 'handshake failed');
      return refusedHandshake('server error');
    }
  };
  const handshake = async (socket: Socket, next: (error?: Error) => void): Promise<void> => {
    const token = tokenOf(socket);
    if (token !== undefined) next(await prove(socket, token));
    else next(isFullFor('unproven', peerOf(socket.request)) ? refusedHandshake(TOO_MANY) : undefined);
  };
  io.use((socket: Socket, next) => void handshake(socket, next));

  const receive = makeReceiver({ identity, limits, log, counting, admit }, listeners);
  io.on('connection', (socket: Socket) => {
    const peer = peerOf(socket.request);
    const noStranger = strangers.add(addressKey(peer.address));
    const line = makeLine({ socket, peer, timers, counting, onProof: noStranger });
    lines.set(line.id, line);
    const callOff = timers.after(STRANGER_MS, () => {
      if (line.isStranger()) line.close('nothing proven');
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
      line.close(error instanceof InvalidToken ? 'session ended' : TOO_MANY);
    }
  });

  identity.onEnded((sessions) => {
    for (const session of sessions) {
      ended.add(session);
      for (const line of linesIn(`session:${session}`)) line.close('session ended');
    }
    for (const oldest of ended) {
      if (ended.size <= REMEMBERED) break;
      ended.delete(oldest);
    }
  });

  const confirm = async (line: Line): Promise<void> => {
    const proof = line.proof();
    if (proof !== undefined && (await find(proof.token, line)) === undefined) line.close('session ended');
  };
  const rounds = [
    every(timers, LOOK_ROUND_MS, () => {
      for (const line of lines.values()) line.cutIfTooSlow();
    }),
    every(timers, CONFIRM_MS, () => {
      for (const line of lines.values())
        confirm(line).catch((error: unknown) => log.error({ err: error }, 'session not confirmed'));
    }),
  ];

  const live: LiveRealtime = {
    send: (to, event, data, about) => {
      const asked = typeof to === 'string' ? [to] : [...to];
      // To socket.io no room at all is every socket.
      if (asked.length === 0) return;
      const parsed = event.data.parse(data);
      const behind = about === undefined ? undefined : event.about?.parse(about);
      counting.count('sent');
      if (event.keep === 'all') io.to(asked).emit(event.name, parsed, ...(behind ? [behind] : []));
      else {
        const newest = { data: parsed, about: behind, sentAt: options.now().epochMilliseconds };
        for (const line of linesIn(...asked)) line.sendNewest(event, newest);
      }
    },
    ask: async (room, event, data, patienceMs) => {
      const line = linesIn(room).at(-1);
      if (!line) throw new Refusal(NO_ANSWER);
      counting.count('sent');
      return line.ask(event, data, patienceMs);
    },
    isEmpty: (room) => (rooms.get(room)?.size ?? 0) === 0,
    listen: (more) => {
      for (const listener of more) {
        if (listeners.has(listener.contract.name)) throw new Error(`two listeners for ${listener.contract.name}`);
        listeners.set(listener.contract.name, listener);
      }
    },
    figures: () => counting.read(lines.size),
    stop: async () => {
      for (const callOff of rounds) callOff();
      for (const line of lines.values()) line.close('server restarting');
      await gate.shut();
    },
  };
  live.listen(
    roomListeners({
      enter: async (token, connection) => {
        const line = lines.get(connection.id);
        const session = line && (await find(token, line));
        if (!line || session?.kind !== 'person') throw new InvalidToken();
        admit(line, session, token);
        return session;
      },
    }),
  );
  return live;
};
