import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { parseInput } from '#platform/contract/parseInput.ts';
import { roomInit } from '#platform/contract/realtime.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { getAddressKey } from '../http/address.ts';
import { readCookie } from '../http/headers.ts';
import { type RateLimiter, RateLimitError } from '../http/rateLimiter.ts';
import { describeZodError, getTokenField } from '../http/requestBody.ts';
import type { Identity, LiveSession } from '../identity/identity.ts';
import { databaseDownAnswer, isDatabaseDownError } from '../storage/databaseDownError.ts';
import { diskFullAnswer, isDiskFullError, withDeferrableWrites } from '../storage/diskFullError.ts';
import { type Caller, hasAccess, type Listener } from '../tool.ts';
import type { MetricsRecorder } from './realtimeMetrics.ts';
import type { SocketConnection } from './socketConnection.ts';

/** Maximum rate of unknown tokens per address. Each costs a database query. */
const UNKNOWN_TOKEN_RATE = { times: 300, seconds: 60 };

export interface EventReceiverDeps {
  readonly identity: Pick<Identity, 'findSession' | 'recordUse'>;
  readonly rateLimiter: RateLimiter;
  readonly log: FastifyBaseLogger;
  readonly metrics: MetricsRecorder;
  /** Adds the socket to the rooms of the session. @throws Refusal if the account has too many. */
  readonly admit: (connection: SocketConnection, session: LiveSession, token: string) => void;
}

type Acknowledge = (answer: Record<string, unknown>) => void;

interface IncomingEvent {
  readonly listener: Listener;
  readonly connection: SocketConnection;
  readonly data: unknown;
  readonly acknowledge: Acknowledge;
}

const createCaller = (
  { peer, origin, isPage, userAgent, cookies }: SocketConnection,
  session: LiveSession | undefined,
): Caller => ({
  account: session?.account,
  session: session?.id,
  device: session?.device,
  address: peer.address,
  isLocal: peer.isLocal,
  origin,
  isPage,
  browser: userAgent,
  cookie: (name) => readCookie(cookies, name),
  setCookie: () => {
    throw new Error('a socket sets no cookies');
  },
});

/** Creates a function that returns the session of a token. Unknown tokens are limited per address. */
export function createSessionFinder({ identity, rateLimiter }: Pick<EventReceiverDeps, 'identity' | 'rateLimiter'>) {
  return async (token: string, { peer, userAgent }: Pick<SocketConnection, 'peer' | 'userAgent'>) => {
    const session = await identity.findSession(token);
    if (session) identity.recordUse(session.id, { address: peer.address, browser: userAgent });
    else await rateLimiter.consume('unknown token on a socket', getAddressKey(peer.address), UNKNOWN_TOKEN_RATE);
    return session;
  };
}

/** Creates a function that returns the caller of an event, cached per connection while the session is the same. */
function createCallerCache() {
  const callersByConnection = new WeakMap<
    SocketConnection,
    { readonly session: LiveSession | undefined; readonly caller: Caller }
  >();
  return (connection: SocketConnection, session: LiveSession | undefined): Caller => {
    const cached = callersByConnection.get(connection);
    if (cached && cached.session?.id === session?.id) return cached.caller;
    const caller = createCaller(connection, session);
    callersByConnection.set(connection, { session, caller });
    return caller;
  };
}

/** Returns the session of an event whose token was verified a moment ago, without a lookup. */
function getFreshSender(connection: SocketConnection, data: unknown): LiveSession | undefined {
  const credential = connection.getCredential();
  if (credential === undefined || !connection.isCredentialFresh()) return undefined;
  const eventToken = getTokenField(data);
  return eventToken === undefined || eventToken === credential.token ? credential.session : undefined;
}

/** Creates the receiver of socket events: it checks sender, access and data, runs the listener and acknowledges. */
export function createEventReceiver(deps: EventReceiverDeps, listeners: ReadonlyMap<string, Listener>) {
  const { metrics, log, admit } = deps;
  const findSession = createSessionFinder(deps);
  const getCaller = createCallerCache();

  /** Finds the sender: by the event's own token, or else by the socket's credential. */
  async function findSender(connection: SocketConnection, data: unknown): Promise<LiveSession | undefined> {
    const credential = connection.getCredential();
    const eventToken = getTokenField(data);
    const token = eventToken ?? credential?.token;
    if (token === undefined) return undefined;
    const session = await findSession(token, connection);
    if (session && credential === undefined) admit(connection, session, token);
    if (session && token === credential?.token) connection.refreshCredential();
    if (!session && eventToken === undefined) connection.close('session ended');
    return session;
  }

  function toErrorAnswer(error: unknown, name: string): Record<string, unknown> {
    if (error instanceof Refusal) return { message: error.message, code: error.code };
    if (error instanceof RateLimitError) return { message: error.message };
    if (isDiskFullError(error)) return diskFullAnswer;
    const id = randomUUID();
    log.error({ err: error, id, socketEvent: name }, 'realtime.event.failed');
    if (isDatabaseDownError(error)) return { ...databaseDownAnswer, id };
    return { message: 'server error', id };
  }

  async function run(
    listener: Listener,
    connection: SocketConnection,
    session: LiveSession | undefined,
    data: unknown,
  ) {
    const { contract } = listener;
    const parsed = parseInput(contract.data, data);
    if (!parsed.success) {
      metrics.count('malformed');
      return { message: describeZodError(parsed.error, 'data') };
    }
    const caller = getCaller(connection, session);
    const answer = await withDeferrableWrites(() => listener.run(parsed.data as never, caller as never, connection));
    return { message: 'ok', ...contract.answer.parse(answer ?? {}) };
  }

  /** Runs the event of a known sender. Never rejects. */
  async function runListener(
    { listener, connection, data, acknowledge }: IncomingEvent,
    senderSession: LiveSession | undefined,
  ): Promise<void> {
    const { name, access } = listener.contract;
    try {
      // A device is unauthenticated for all events but its own (docs/design/reliability.md section 11.1).
      const session = access !== 'device' && senderSession?.kind === 'device' ? undefined : senderSession;
      if (!hasAccess(access, session)) throw new InvalidTokenRefusal();
      acknowledge(await run(listener, connection, session, data));
    } catch (error) {
      if (error instanceof InvalidTokenRefusal) metrics.count('refused');
      acknowledge(toErrorAnswer(error, name));
    }
  }

  async function receive(event: IncomingEvent): Promise<void> {
    const { listener, connection, data, acknowledge } = event;
    try {
      const running = runListener(event, await findSender(connection, data));
      // Slow listeners do not delay others, but events after a token must count as that token's.
      if (listener.contract === roomInit) await running;
    } catch (error) {
      if (error instanceof RateLimitError) connection.close('too many events');
      else acknowledge(toErrorAnswer(error, listener.contract.name));
    }
  }

  return (connection: SocketConnection, name: string, args: readonly unknown[]): void => {
    const verdict = connection.checkRate();
    if (verdict !== 'accepted') {
      metrics.count('overRate');
      if (verdict === 'excessive') connection.close('too many events');
      return;
    }
    metrics.count('received');
    const listener = listeners.get(name);
    if (!listener) return metrics.count('unknown');
    const lastArgument = args.at(-1);
    const acknowledge = typeof lastArgument === 'function' ? (lastArgument as Acknowledge) : () => undefined;
    const data = typeof args[0] === 'function' || args[0] === undefined ? {} : args[0];
    const event = { listener, connection, data, acknowledge };
    const freshSender = connection.isIdle() ? getFreshSender(connection, data) : undefined;
    if (freshSender && listener.contract !== roomInit) void runListener(event, freshSender);
    else connection.runInOrder(() => receive(event));
  };
}
