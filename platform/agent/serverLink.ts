import { io, type Socket } from 'socket.io-client';
import * as z from 'zod/mini';
import { COMMAND_EVENT } from '#platform/contract/command.ts';
import { clock, commandProgress, deviceHello, type selfDescription } from '#platform/contract/device.ts';
import {
  MAX_EVENT_AGE_MS,
  type ClientEvent,
  type EventAnswerOf,
  type EventInputOf,
  type ServerEvent,
} from '#platform/contract/event.ts';
import { closing, SOCKET_PATH } from '#platform/contract/realtime.ts';
import { INVALID_TOKEN_MESSAGE, InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { createCommandQueue, type CommandQueueOptions } from './commandQueue.ts';
import type { AgentContext, EventHandler } from './tool.ts';

const ROUND_COUNT = 5;
/** The two clocks of this computer drifting apart by more means that it slept, or that its clock was set. */
const MAX_DRIFT_MS = 500;

/** The server's clock, as measured from here. */
export interface ServerClock {
  /** Milliseconds since the epoch; measures first where it has to. */
  readonly now: () => Promise<number>;
  /** The same at once; undefined where it would have to be measured, which is begun then. */
  readonly peek: () => number | undefined;
  /** The line is new: measure again. */
  readonly reset: () => void;
}

interface ClockMeasurement {
  /** Server's clock minus ours. */
  readonly offset: number;
  readonly wall: number;
  readonly monotonic: number;
}

/** `ask` gives the server's clock. Of five rounds the quickest counts, as its error is the smallest. */
export function createServerClock(ask: () => Promise<number>): ServerClock {
  const measure = async (): Promise<ClockMeasurement> => {
    let best = { trip: Number.POSITIVE_INFINITY, offset: 0 };
    for (let round = 0; round < ROUND_COUNT; round++) {
      const asked = performance.now();
      const server = await ask();
      const trip = performance.now() - asked;
      if (trip < best.trip) best = { trip, offset: server + trip / 2 - Date.now() };
    }
    return { offset: best.offset, wall: Date.now(), monotonic: performance.now() };
  };

  let measuring: Promise<ClockMeasurement> | undefined;
  let latest: ClockMeasurement | undefined;
  const remember = async (own: Promise<ClockMeasurement>): Promise<void> => {
    try {
      const found = await own;
      if (measuring === own) latest = found;
    } catch {
      // Who waits for it is told; whoever asks next measures anew.
      if (measuring === own) measuring = undefined;
    }
  };
  const measured = (): Promise<ClockMeasurement> => {
    if (!measuring) {
      measuring = measure();
      void remember(measuring);
    }
    return measuring;
  };
  const isStale = ({ wall, monotonic }: ClockMeasurement): boolean =>
    Math.abs(Date.now() - wall - (performance.now() - monotonic)) > MAX_DRIFT_MS;

  const forget = (): void => {
    measuring = undefined;
    latest = undefined;
  };

  return {
    now: async () => {
      let known = await measured();
      if (isStale(known)) {
        forget();
        known = await measured();
      }
      return Date.now() + known.offset;
    },
    peek: () => {
      if (latest && !isStale(latest)) return Date.now() + latest.offset;
      if (latest) forget();
      measured().catch(() => undefined); // asked for again at the next event
      return undefined;
    },
    reset: forget,
  };
}

export type SelfDescription = z.output<typeof selfDescription>;
export type Welcome = EventAnswerOf<typeof deviceHello>;

/** Why a link ended for good: the token is not taken any more, or another agent took over with the same one. */
export type LinkEndReason = 'revoked' | 'replaced';

export interface LinkOptions extends Omit<CommandQueueOptions, 'serverNow' | 'onProgress'> {
  readonly origin: string;
  readonly token: string;
  readonly events: readonly EventHandler[];
  readonly getDescription: () => SelfDescription;
  readonly onWelcome: (welcome: Welcome) => void;
  /** The first welcome on a new connection. */
  readonly onConnect: () => void;
  /** The connection is lost: let go of everything. */
  readonly onDisconnect: () => void;
  readonly onEnd: (why: LinkEndReason) => void;
}

export interface ServerLink {
  readonly isConnected: () => boolean;
  /** Tells the server again who this is, as what the computer can do has changed. */
  readonly sendDescription: () => void;
  /** As `AgentGround` has them. */
  readonly report: AgentContext['report'];
  readonly serverNow: AgentContext['serverNow'];
  readonly close: () => void;
}

const ANSWER_TIMEOUT_MS = 5000;
const NOT_CONNECTED_MESSAGE = 'The server is away';
const dated = z.object({ sentAt: z.number() });

/** Between 1 and 5 s: agents of a server that restarts do not all come at once. */
const getReconnectDelay = (): number => 1000 + Math.random() * 4000;

const isInvalidToken = (error: Error & { readonly data?: unknown }): boolean => {
  const said = error.data as { readonly message?: unknown } | undefined;
  return error.message === INVALID_TOKEN_MESSAGE || said?.message === INVALID_TOKEN_MESSAGE;
};

/** The agent's connection to its server, made again whenever it breaks. */
export function openServerLink(options: LinkOptions): ServerLink {
  const { print } = options;
  let isWelcome = false;
  let isOver = false;
  let again: NodeJS.Timeout | undefined;

  const socket: Socket = io(options.origin, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    autoConnect: false,
    reconnectionDelay: 1000,
    reconnectionDelayMax: 5000,
    randomizationFactor: 0.5,
    timeout: 20_000,
    auth: (give) => give({ token: options.token }),
  });

  /** @throws Refusal with the server's sentence; an error where it says nothing in time. */
  const ask = async <E extends ClientEvent>(event: E, data: EventInputOf<E>): Promise<EventAnswerOf<E>> => {
    const answer: unknown = await socket.timeout(ANSWER_TIMEOUT_MS).emitWithAck(event.name, data);
    const { message } = answer as { readonly message?: unknown };
    if (message === INVALID_TOKEN_MESSAGE) throw new InvalidTokenRefusal();
    if (message !== 'ok') throw new Refusal(String(message));
    return event.answer.parse(answer) as EventAnswerOf<E>;
  };

  const serverClock = createServerClock(async () => (await ask(clock, {})).now);
  const obey = createCommandQueue({
    ...options,
    serverNow: serverClock.now,
    // Unanswered: one that is lost is followed by the next.
    onProgress: (ids) => socket.volatile.emit(commandProgress.name, { ids }),
  });

  const end = (why: LinkEndReason): void => {
    if (isOver) return;
    isOver = true;
    socket.disconnect();
    options.onEnd(why);
  };

  const connectLater = (): void => {
    clearTimeout(again);
    if (!isOver) again = setTimeout(() => socket.connect(), getReconnectDelay());
  };

  const introduce = async (): Promise<void> => {
    const welcome = await ask(deviceHello, options.getDescription());
    const isNew = !isWelcome;
    isWelcome = true;
    options.onWelcome(welcome);
    if (isNew) options.onConnect();
    // Measured now, so that the first command need not wait for it; where it fails, the command asks again.
    await serverClock.now();
  };
  const introduceOrSay = (): void => {
    introduce().catch((error: unknown) => {
      if (error instanceof InvalidTokenRefusal) end('revoked');
      else if (socket.connected) {
        print(`The server did not take this agent: ${error instanceof Error ? error.message : 'no answer'}`);
        socket.disconnect();
        connectLater();
      }
    });
  };

  const isOutdated = (raw: unknown): boolean => {
    const told = dated.safeParse(raw);
    const now = serverClock.peek();
    return told.success && now !== undefined && now - told.data.sentAt > MAX_EVENT_AGE_MS;
  };

  /** What it says was so for a moment that is over. Differences hold until they are replaced. */
  const isPast = ({ delivery, merge }: ServerEvent, raw: unknown): boolean =>
    delivery === 'newest' && merge === undefined && isOutdated(raw);

  // Every handler stands before the socket is opened: what comes early would be missed.
  socket.on('connect', () => {
    serverClock.reset();
    introduceOrSay();
  });
  socket.on('disconnect', (reason) => {
    if (isWelcome) print('Connection to the server lost');
    isWelcome = false;
    options.onDisconnect();
    if (reason === 'io server disconnect') connectLater();
  });
  socket.on('connect_error', (error) => {
    if (isInvalidToken(error)) end('revoked');
    else if (!socket.active) connectLater();
  });
  socket.on(COMMAND_EVENT, (raw: unknown, acknowledge: unknown) => {
    const answer = async (): Promise<void> => {
      const given = await obey(raw);
      if (typeof acknowledge === 'function') acknowledge(given);
    };
    void answer();
  });
  socket.on(closing.name, (raw: unknown) => {
    const told = closing.data.safeParse(raw);
    if (!told.success) return;
    const { reason } = told.data;
    if (reason === 'session ended') end('revoked');
    else if (reason === 'replaced') end('replaced');
    else print(`The server closes the connection: ${reason}`);
  });
  for (const { event, run } of options.events) {
    socket.on(event.name, (raw: unknown, acknowledge: unknown) => {
      if (typeof acknowledge === 'function') acknowledge();
      if (options.isPaused() || isPast(event, raw)) return;
      const data = event.data.safeParse(raw);
      if (data.success) run(data.data as never);
    });
  }
  socket.connect();

  return {
    isConnected: () => isWelcome,
    report: async (event, data) => {
      if (!isWelcome) throw new Refusal(NOT_CONNECTED_MESSAGE);
      return ask(event, data);
    },
    serverNow: async () => {
      if (!isWelcome) throw new Refusal(NOT_CONNECTED_MESSAGE);
      return serverClock.now();
    },
    sendDescription: () => {
      if (socket.connected) introduceOrSay();
    },
    close: () => {
      isOver = true;
      clearTimeout(again);
      socket.disconnect();
    },
  };
}
