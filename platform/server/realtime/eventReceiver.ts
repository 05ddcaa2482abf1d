import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type * as z from 'zod/mini';
import { parseInput } from '#platform/contract/parseInput.ts';
import { roomInit } from '#platform/contract/realtime.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { getAddressKey } from '../http/address.ts';
import { readCookie } from '../http/headers.ts';
import { type RateLimiter, RateLimitError } from '../http/rateLimiter.ts';
import type { Identity, LiveSession } from '../identity/identity.ts';
import type { Caller, Listener } from '../tool.ts';
import type { MetricsRecorder } from './realtimeMetrics.ts';
import type { SocketConnection } from './socketConnection.ts';

/** Tokens that are nobody's cost a look into the database each. */
const UNKNOWN_TOKENS = { times: 300, seconds: 60 };

export interface EventReceiverDeps {
  readonly identity: Pick<Identity, 'findSession' | 'recordUse'>;
  readonly limits: RateLimiter;
  readonly log: FastifyBaseLogger;
  readonly metrics: MetricsRecorder;
  /** Puts the socket into the rooms of the session. @throws Refusal where the account has too many. */
  readonly admit: (line: SocketConnection, session: LiveSession, token: string) => void;
}

type Acknowledge = (answer: Record<string, unknown>) => void;

interface IncomingEvent {
  readonly listener: Listener;
  readonly line: SocketConnection;
  readonly data: unknown;
  readonly acknowledge: Acknowledge;
}

const MAY: Record<Listener['contract']['access'], (session: LiveSession | undefined) => boolean> = {
  anyone: () => true,
  account: (session) => session?.kind === 'person',
  device: (session) => session?.kind === 'device' && session.device !== undefined,
};

const tokenIn = (data: unknown): string | undefined => {
  if (typeof data !== 'object' || data === null || !('token' in data)) return undefined;
  return typeof data.token === 'string' && data.token !== '' ? data.token : undefined;
};

const describeZodError = (error: z.core.$ZodError): string => {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.').slice(0, 200) || 'data'}: ${issue.message}` : 'data: not understood';
};

const createCaller = (
  { peer, origin, browser, cookies }: SocketConnection,
  session: LiveSession | undefined,
): Caller => ({
  account: session?.account,
  session: session?.id,
  device: session?.device,
  address: peer.address,
  isLocal: peer.isLocal,
  origin,
  browser,
  cookie: (name) => readCookie(cookies, name),
  setCookie: () => {
    throw new Error('a socket sets no cookies');
  },
});

/** Finds the session of a token; many unknown ones from one address are too many. */
export function createSessionFinder({ identity, limits }: Pick<EventReceiverDeps, 'identity' | 'limits'>) {
  return async (token: string, { peer, browser }: Pick<SocketConnection, 'peer' | 'browser'>) => {
    const session = await identity.findSession(token);
    if (session) identity.recordUse(session.id, { address: peer.address, browser });
    else await limits.consume('unknown token on a socket', getAddressKey(peer.address), UNKNOWN_TOKENS);
    return session;
  };
}

/** One caller for all events of a socket that come from the same session. */
const createCallerCache = () => {
  const made = new WeakMap<SocketConnection, { readonly session: LiveSession | undefined; readonly caller: Caller }>();
  return (line: SocketConnection, session: LiveSession | undefined): Caller => {
    const before = made.get(line);
    if (before && before.session?.id === session?.id) return before.caller;
    const caller = createCaller(line, session);
    made.set(line, { session, caller });
    return caller;
  };
};

/** The sender of an event that carries no other token than the one its socket has proven a moment ago. */
const knownSender = (line: SocketConnection, data: unknown): LiveSession | undefined => {
  const proof = line.getCredential();
  if (proof === undefined || !line.isCredentialFresh()) return undefined;
  const sent = tokenIn(data);
  return sent === undefined || sent === proof.token ? proof.session : undefined;
};

/** Takes the events of sockets: who sends it, may they, is it of the shape, then runs it and acknowledges. */
export function createEventReceiver(ground: EventReceiverDeps, listeners: ReadonlyMap<string, Listener>) {
  const { metrics, log, admit } = ground;
  const find = createSessionFinder(ground);
  const callerOf = createCallerCache();

  /** Who sends the event: its own token, else what the socket proved itself with. */
  const senderOf = async (line: SocketConnection, data: unknown): Promise<LiveSession | undefined> => {
    const proof = line.getCredential();
    const sent = tokenIn(data);
    const token = sent ?? proof?.token;
    if (token === undefined) return undefined;
    const session = await find(token, line);
    if (session && proof === undefined) admit(line, session, token);
    if (session && token === proof?.token) line.refreshCredential();
    if (!session && sent === undefined) line.close('session ended');
    return session;
  };

  const refusalOf = (error: unknown, name: string): Record<string, unknown> => {
    if (error instanceof Refusal || error instanceof RateLimitError) return { message: error.message };
    const id = randomUUID();
    log.error({ err: error, id, socketEvent: name }, 'event failed');
    return { message: 'server error', id };
  };

  const run = async (listener: Listener, line: SocketConnection, session: LiveSession | undefined, data: unknown) => {
    const { contract } = listener;
    const parsed = parseInput(contract.data, data);
    if (!parsed.success) {
      metrics.count('malformed');
      return { message: describeZodError(parsed.error) };
    }
    const answer = await listener.run(parsed.data as never, callerOf(line, session) as never, line);
    return { message: 'ok', ...contract.answer.parse(answer) };
  };

  /** Runs the event of a known sender; settles when it is done, whatever comes of it. */
  const start = async (
    { listener, line, data, acknowledge }: IncomingEvent,
    found: LiveSession | undefined,
  ): Promise<void> => {
    const { name, access } = listener.contract;
    try {
      // To all events but its own a device is a stranger (reliability.md section 8).
      const session = access !== 'device' && found?.kind === 'device' ? undefined : found;
      if (!MAY[access](session)) throw new InvalidTokenRefusal();
      acknowledge(await run(listener, line, session, data));
    } catch (error) {
      if (error instanceof InvalidTokenRefusal) metrics.count('refused');
      acknowledge(refusalOf(error, name));
    }
  };

  const enter = async (arrival: IncomingEvent): Promise<void> => {
    const { listener, line, data, acknowledge } = arrival;
    try {
      const running = start(arrival, await senderOf(line, data));
      // A slow one holds up no other; but what follows a token counts as that token's.
      if (listener.contract === roomInit) await running;
    } catch (error) {
      if (error instanceof RateLimitError) line.close('too many events');
      else acknowledge(refusalOf(error, listener.contract.name));
    }
  };

  return (line: SocketConnection, name: string, args: readonly unknown[]): void => {
    const verdict = line.checkRate();
    if (verdict !== 'taken') {
      metrics.count('overRate');
      if (verdict === 'enough') line.close('too many events');
      return;
    }
    metrics.count('received');
    const listener = listeners.get(name);
    if (!listener) return metrics.count('unknown');
    const last = args.at(-1);
    const acknowledge = typeof last === 'function' ? (last as Acknowledge) : () => undefined;
    const data = typeof args[0] === 'function' || args[0] === undefined ? {} : args[0];
    const arrival = { listener, line, data, acknowledge };
    const known = line.isIdle() ? knownSender(line, data) : undefined;
    if (known && listener.contract !== roomInit) void start(arrival, known);
    else line.runInOrder(() => enter(arrival));
  };
}
