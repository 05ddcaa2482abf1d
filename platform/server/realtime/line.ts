import type { Socket } from 'socket.io';
import { NO_ANSWER } from '#platform/contract/command.ts';
import type { Sent, ServerEvent } from '#platform/contract/event.ts';
import { closing, type CloseReason } from '#platform/contract/realtime.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { originOf, type Peer } from '../address.ts';
import type { LiveSession } from '../identity/identity.ts';
import type { Connection } from '../tool.ts';
import { makeBucket, type Verdict } from './bucket.ts';
import type { Counting } from './figures.ts';
import type { Room } from './realtime.ts';
import type { Timers } from './timers.ts';
import { watchUnsent } from './unsent.ts';
import { type AckWindow, makeWindow } from './window.ts';

export const ROOMS = 8;
const ASKED_AT_ONCE = 16;
/** socket.io forgets an acknowledgement that never came after this; who waits for it gives up far earlier. */
const FORGET_ACK_MS = 120_000;
const FRESH_MS = 1000;

/** An event of which the newest counts, with the time that the server said it. */
export interface Newest extends Sent {
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
}

/** One connected socket, with what the server knows of it and holds back from it. */
export interface Line extends Connection {
  readonly peer: Peer;
  /** Under which its handshake reached this server. */
  readonly origin: string;
  /** The `User-Agent` of its handshake, at most 300 characters. */
  readonly browser: string;
  /** The `Cookie` header of its handshake. */
  readonly cookies: string | undefined;
  /** What it proved itself with. Events that carry no token count as this one's. */
  readonly proof: () => { readonly session: LiveSession; readonly token: string } | undefined;
  /** The proof was looked up within the last second. Should its session end meanwhile, this socket is closed. */
  readonly isFresh: () => boolean;
  readonly refresh: () => void;
  readonly prove: (session: LiveSession, token: string) => void;
  /** Neither a token nor a room. */
  readonly isStranger: () => boolean;
  readonly mayReceive: () => Verdict;
  /** Runs when all that was started before has been let in: events are taken in the order in which they came. */
  readonly inOrder: (next: () => Promise<void>) => void;
  /** Nothing is being let in. */
  readonly isIdle: () => boolean;
  readonly sendNewest: (event: ServerEvent, newest: Newest) => void;
  readonly ask: (name: string, data: unknown, patienceMs: number) => Promise<unknown>;
  readonly cutIfTooSlow: () => void;
}

interface LineOptions {
  readonly socket: Socket;
  readonly peer: Peer;
  readonly timers: Timers;
  readonly counting: Counting;
  /** Runs once, when it proves itself. */
  readonly onProof: () => void;
}

/** What a browser or program calls itself, cut to what is kept. */
export const browserOf = (userAgent: string | undefined): string => (userAgent ?? '').slice(0, 300);

/** Runs one after another. */
const makeQueue = () => {
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
const argumentsOf = ({ data, about, sentAt }: Newest): readonly unknown[] =>
  about === undefined ? [{ ...data, sentAt }] : [data, { ...about, sentAt }];

/** One window for each kind of event of which the newest counts. */
const makeWindows = (socket: Socket, counting: Counting): Line['sendNewest'] => {
  const windows = new Map<string, AckWindow<Newest>>();
  socket.conn.on('packetCreate', ({ type }: { readonly type: string }) => {
    if (type === 'ping') for (const window of windows.values()) window.mark();
  });
  socket.conn.on('heartbeat', () => {
    for (const window of windows.values()) window.confirm();
  });
  const make = (event: ServerEvent): AckWindow<Newest> =>
    makeWindow<Newest>(
      (newest, taken, isSilent) => {
        const args = argumentsOf(newest);
        if (!isSilent) return void socket.emit(event.name, ...args, taken);
        // What is never acknowledged would be kept for ever.
        socket.timeout(FORGET_ACK_MS).emit(event.name, ...args, (error: Error | null) => {
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
    window.offer(newest);
  };
};

export const makeLine = ({ socket, peer, timers, counting, onProof }: LineOptions): Line => {
  const closers = new Set<(reason: CloseReason | 'lost') => void>();
  const asking = new Set<() => void>();
  const bucket = makeBucket(timers.now());
  let why: CloseReason | 'lost' = 'lost';
  let proof: ReturnType<Line['proof']>;
  let freshUntil = -Infinity;
  const entering = makeQueue();

  const close = (reason: CloseReason): void => {
    if (!socket.connected) return;
    why = reason;
    counting.countClosed(reason);
    socket.emit(closing.name, { reason });
    socket.disconnect(true);
  };
  /** The line is full: nothing that we say to it would arrive. */
  const cut = (): void => {
    if (why !== 'lost') return;
    why = 'too slow';
    counting.countClosed(why);
    socket.request.socket.destroy();
  };
  const unsent = watchUnsent(socket, timers, cut);
  const roomCount = (): number => socket.rooms.size - 1; // socket.io gives each socket a room of its own

  socket.on('disconnect', () => {
    for (const giveUp of asking) giveUp();
    for (const then of closers) then(why);
    socket.conn.close(); // a client that only left the namespace would keep the connection
  });

  return {
    id: socket.id,
    peer,
    browser: browserOf(socket.handshake.headers['user-agent']),
    origin: originOf(socket.request, peer),
    cookies: socket.handshake.headers.cookie,
    proof: () => proof,
    isFresh: () => timers.now() < freshUntil,
    refresh: () => {
      freshUntil = timers.now() + FRESH_MS;
    },
    prove: (session, token) => {
      if (proof === undefined) onProof();
      proof = { session, token };
    },
    isStranger: () => proof === undefined && roomCount() === 0,
    join: (room: Room) => {
      if (!socket.rooms.has(room) && roomCount() >= ROOMS) throw new Refusal('too many rooms');
      void socket.join(room);
    },
    leave: (room: Room) => void socket.leave(room),
    onClose: (then) => {
      if (socket.connected) closers.add(then);
      else then(why);
    },
    close,
    mayReceive: () => bucket(timers.now()),
    inOrder: entering.add,
    isIdle: entering.isEmpty,
    sendNewest: makeWindows(socket, counting),
    ask: (name, data, patienceMs) =>
      new Promise((resolve, reject) => {
        if (asking.size >= ASKED_AT_ONCE) return reject(new Refusal('device has too much to do, try again'));
        const giveUp = (): void => {
          end();
          reject(new Refusal(NO_ANSWER));
        };
        const callOff = timers.after(patienceMs, giveUp);
        const end = (): void => {
          callOff();
          asking.delete(giveUp);
        };
        asking.add(giveUp);
        socket.timeout(FORGET_ACK_MS).emit(name, data, (error: Error | null, answer: unknown) => {
          end();
          if (error === null) resolve(answer);
          else reject(new Refusal(NO_ANSWER));
        });
      }),
    cutIfTooSlow: () => {
      if (unsent.isTooMuch()) cut();
    },
  };
};
