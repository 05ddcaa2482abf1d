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
import { closing, SOCKET_OPTIONS } from '#platform/contract/realtime.ts';
import { INVALID_TOKEN_MESSAGE, InvalidTokenRefusal, Refusal, UNKNOWN_CODE } from '#platform/contract/refusal.ts';
import { createCommandQueue, type CommandQueueOptions } from './commandQueue.ts';
import type { AgentContext, EventHandler } from './tool.ts';

const MEASUREMENT_ROUNDS = 5;
/** If the wall clock and the monotonic clock differ by more, the computer slept or its clock was set. */
const MAX_DRIFT_MS = 500;

/** The server's clock, as measured by this computer. */
export interface ServerClock {
  /** Returns milliseconds since the epoch; measures first if necessary. */
  readonly now: () => Promise<number>;
  /** Returns the same without waiting. If there is no valid measurement, returns undefined and starts one. */
  readonly peek: () => number | undefined;
  /** Discards the measurement, because the connection is new. */
  readonly reset: () => void;
}

interface ClockMeasurement {
  /** Server's clock minus ours. */
  readonly offset: number;
  readonly wall: number;
  readonly monotonic: number;
}

/**
 * Creates the clock. The fastest of five rounds counts, because its error is smallest.
 * @param requestTime requests the server's time.
 */
export function createServerClock(requestTime: () => Promise<number>): ServerClock {
  async function measure(): Promise<ClockMeasurement> {
    let best = { roundTripMs: Number.POSITIVE_INFINITY, offset: 0 };
    for (let round = 0; round < MEASUREMENT_ROUNDS; round++) {
      const startedAt = performance.now();
      const serverTime = await requestTime();
      const roundTripMs = performance.now() - startedAt;
      if (roundTripMs < best.roundTripMs) best = { roundTripMs, offset: serverTime + roundTripMs / 2 - Date.now() };
    }
    return { offset: best.offset, wall: Date.now(), monotonic: performance.now() };
  }

  let measuring: Promise<ClockMeasurement> | undefined;
  let latest: ClockMeasurement | undefined;
  async function saveMeasurement(measurement: Promise<ClockMeasurement>): Promise<void> {
    try {
      const result = await measurement;
      if (measuring === measurement) latest = result;
    } catch {
      // Waiting callers get the error, and the next caller measures again.
      if (measuring === measurement) measuring = undefined;
    }
  }
  function getMeasurement(): Promise<ClockMeasurement> {
    if (!measuring) {
      measuring = measure();
      void saveMeasurement(measuring);
    }
    return measuring;
  }
  const isStale = ({ wall, monotonic }: ClockMeasurement): boolean =>
    Math.abs(Date.now() - wall - (performance.now() - monotonic)) > MAX_DRIFT_MS;

  function reset(): void {
    measuring = undefined;
    latest = undefined;
  }

  return {
    now: async () => {
      let latestMeasurement = await getMeasurement();
      if (isStale(latestMeasurement)) {
        reset();
        latestMeasurement = await getMeasurement();
      }
      return Date.now() + latestMeasurement.offset;
    },
    peek: () => {
      if (latest && !isStale(latest)) return Date.now() + latest.offset;
      if (latest) reset();
      getMeasurement().catch(() => undefined); // measured again at the next event
      return undefined;
    },
    reset,
  };
}

export type SelfDescription = z.output<typeof selfDescription>;
export type Welcome = EventAnswerOf<typeof deviceHello>;

/** Why a link ended for good: the token is no longer valid, or another agent connected with the same one. */
export type LinkEndReason = 'revoked' | 'replaced';

export interface LinkOptions extends Omit<CommandQueueOptions, 'serverNow' | 'onProgress'> {
  /** Address of the server, with the path below which it is, without a slash at the end. */
  readonly origin: string;
  readonly token: string;
  readonly events: readonly EventHandler[];
  readonly getDescription: () => SelfDescription;
  readonly onWelcome: (welcome: Welcome) => void;
  /** Called after the first welcome on a new connection. */
  readonly onConnect: () => void;
  /** Called when the connection is lost: release everything that is held. */
  readonly onDisconnect: () => void;
  readonly onEnd: (reason: LinkEndReason) => void;
}

export interface ServerLink {
  readonly isConnected: () => boolean;
  /** Sends the description again, because the abilities of the computer have changed. */
  readonly sendDescription: () => void;
  /** See `AgentContext`. */
  readonly report: AgentContext['report'];
  readonly serverNow: AgentContext['serverNow'];
  readonly close: () => void;
}

const ANSWER_TIMEOUT_MS = 5000;
const NOT_CONNECTED_MESSAGE = 'The server cannot be reached';
const datedEvent = z.object({ sentAt: z.number() });

/** Returns 1 to 5 s, so that after a restart of the server its agents do not all connect at once. */
const getReconnectDelay = (): number => 1000 + Math.random() * 4000;

function isInvalidToken(error: Error & { readonly data?: unknown }): boolean {
  const data = error.data as { readonly message?: unknown } | undefined;
  return error.message === INVALID_TOKEN_MESSAGE || data?.message === INVALID_TOKEN_MESSAGE;
}

/** Connects the agent to its server, and reconnects whenever the connection breaks. */
export function openServerLink(options: LinkOptions): ServerLink {
  const { print } = options;
  let isWelcomed = false;
  let isClosed = false;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let lastRefusal = '';

  // socket.io takes the path of an address as a namespace.
  const { origin, pathname } = new URL(options.origin);
  const socket: Socket = io(origin, {
    ...SOCKET_OPTIONS,
    path: pathname.replace(/\/$/, '') + SOCKET_OPTIONS.path,
    auth: (callback) => callback({ token: options.token }),
  });

  /**
   * Sends an event and returns its answer.
   * @throws Refusal with the server's sentence, or an error if no answer arrives in time.
   */
  async function sendEvent<E extends ClientEvent>(event: E, data: EventInputOf<E>): Promise<EventAnswerOf<E>> {
    const answer: unknown = await socket.timeout(ANSWER_TIMEOUT_MS).emitWithAck(event.name, data);
    const { message, code } = answer as { readonly message?: unknown; readonly code?: unknown };
    if (message === INVALID_TOKEN_MESSAGE) throw new InvalidTokenRefusal();
    if (message !== 'ok') throw new Refusal(typeof code === 'string' ? code : UNKNOWN_CODE, String(message));
    return event.answer.parse(answer) as EventAnswerOf<E>;
  }

  const serverClock = createServerClock(async () => (await sendEvent(clock, {})).now);
  const runCommand = createCommandQueue({
    ...options,
    serverNow: serverClock.now,
    // Not acknowledged: if one is lost, the next one follows.
    onProgress: (ids) => socket.volatile.emit(commandProgress.name, { ids }),
  });

  function end(reason: LinkEndReason): void {
    if (isClosed) return;
    isClosed = true;
    socket.disconnect();
    options.onEnd(reason);
  }

  function connectLater(): void {
    clearTimeout(reconnectTimer);
    if (!isClosed) reconnectTimer = setTimeout(() => socket.connect(), getReconnectDelay());
  }

  async function sendHello(): Promise<void> {
    const welcome = await sendEvent(deviceHello, options.getDescription());
    const isNew = !isWelcomed;
    isWelcomed = true;
    options.onWelcome(welcome);
    if (isNew) options.onConnect();
    // Measured now, so that the first command need not wait. If it fails, the command measures again.
    await serverClock.now();
  }
  function sendHelloOrReconnect(): void {
    sendHello().catch((error: unknown) => {
      if (error instanceof InvalidTokenRefusal) end('revoked');
      else if (socket.connected) {
        print(`The server rejected this agent: ${error instanceof Error ? error.message : 'no response'}`);
        socket.disconnect();
        connectLater();
      }
    });
  }

  function isOutdated(raw: unknown): boolean {
    const event = datedEvent.safeParse(raw);
    const now = serverClock.peek();
    return event.success && now !== undefined && now - event.data.sentAt > MAX_EVENT_AGE_MS;
  }

  /** Whether an event described a moment that has passed. Events that are merged stay valid until they are replaced. */
  const isObsolete = ({ delivery, merge }: ServerEvent, raw: unknown): boolean =>
    delivery === 'newest' && merge === undefined && isOutdated(raw);

  // All handlers are registered before connecting, so that no early event is missed.
  socket.on('connect', () => {
    lastRefusal = '';
    serverClock.reset();
    sendHelloOrReconnect();
  });
  socket.on('disconnect', (reason) => {
    if (isWelcomed) print('Lost the connection to the server');
    isWelcomed = false;
    options.onDisconnect();
    if (reason === 'io server disconnect') connectLater();
  });
  socket.on('connect_error', (error) => {
    if (isInvalidToken(error)) {
      end('revoked');
      return;
    }
    if (socket.active) return;
    // The server refused: it will again until its owner or the user has done something.
    if (error.message !== lastRefusal) print(`The server refused the connection: ${error.message}`);
    lastRefusal = error.message;
    connectLater();
  });
  socket.on(COMMAND_EVENT, (raw: unknown, acknowledge: unknown) => {
    async function answer(): Promise<void> {
      const commandAnswer = await runCommand(raw);
      if (typeof acknowledge === 'function') acknowledge(commandAnswer);
    }
    void answer();
  });
  socket.on(closing.name, (raw: unknown) => {
    const event = closing.data.safeParse(raw);
    if (!event.success) return;
    const { reason } = event.data;
    if (reason === 'session ended') end('revoked');
    else if (reason === 'replaced') end('replaced');
    else print(`The server closed the connection: ${reason}`);
  });
  for (const { event, run } of options.events) {
    socket.on(event.name, (raw: unknown, acknowledge: unknown) => {
      if (typeof acknowledge === 'function') acknowledge();
      if (options.isPaused() || isObsolete(event, raw)) return;
      const data = event.data.safeParse(raw);
      if (data.success) run(data.data as never);
    });
  }
  socket.connect();

  return {
    isConnected: () => isWelcomed,
    report: async (event, data) => {
      if (!isWelcomed) throw new Refusal('client.unreachable', NOT_CONNECTED_MESSAGE);
      return sendEvent(event, data);
    },
    serverNow: async () => {
      if (!isWelcomed) throw new Refusal('client.unreachable', NOT_CONNECTED_MESSAGE);
      return serverClock.now();
    },
    sendDescription: () => {
      if (socket.connected) sendHelloOrReconnect();
    },
    close: () => {
      isClosed = true;
      clearTimeout(reconnectTimer);
      socket.disconnect();
    },
  };
}
