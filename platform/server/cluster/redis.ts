import { createClient } from '@redis/client';
import { createAdapter } from '@socket.io/redis-adapter';
import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';
import { realTimers, scheduleRepeating } from '../schedule/timers.ts';
import type { MessageChannel } from './cluster.ts';

/** A command that takes longer counts as failed. */
const COMMAND_TIMEOUT_MS = 1000;
const CONNECT_TIMEOUT_MS = 2000;
const CHECK_INTERVAL_MS = 2000;
/** Ends a connection that Redis accepted without answering. Longer than the interval of checks, which use the rest. */
const SILENCE_TIMEOUT_MS = 3500;
const MAX_RECONNECT_DELAY_MS = 500;

/** Start of an address of a Unix socket, such as `unix:/run/redis/redis.sock`. */
const UNIX_PREFIX = 'unix:';

const createRedisClient = (url: string) =>
  createClient({
    ...(url.startsWith(UNIX_PREFIX) ? {} : { url }),
    disableOfflineQueue: true,
    socket: {
      ...(url.startsWith(UNIX_PREFIX) && { path: url.slice(UNIX_PREFIX.length), tls: false as const }),
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      reconnectStrategy: (retries: number) => Math.min(MAX_RECONNECT_DELAY_MS, 50 * 2 ** Math.min(retries, 5)),
    },
  });
export type RedisClient = ReturnType<typeof createRedisClient>;

/** Rejects if a command is not answered in time. Redis may still run it. */
function withTimeout<T>(command: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('Redis did not answer in time')), COMMAND_TIMEOUT_MS);
  return Promise.race([command, promise]).finally(() => clearTimeout(timer));
}

/** The connections to Redis. */
export interface Redis extends AsyncDisposable {
  readonly client: RedisClient;
  /** Only receives. */
  readonly subscriber: RedisClient;
  /** Prefix of all keys and channels, so that several servers can share one Redis. */
  readonly prefix: string;
  /** Publishes without waiting. What cannot be sent is lost. */
  readonly publish: (channel: string, message: string | Buffer) => void;
  /** Runs a command. @throws if Redis does not answer within a second; at once while it is known not to answer. */
  readonly run: <T>(command: (client: RedisClient) => Promise<T>) => Promise<T>;
}

export interface RedisOptions {
  readonly url: string;
  readonly prefix: string;
  readonly log: FastifyBaseLogger;
}

/**
 * Connects to Redis or Valkey. Later, connections that are lost or silent are replaced.
 * @throws Refusal if Redis can't be used at the start.
 */
export async function openRedis({ url, prefix, log }: RedisOptions): Promise<Redis> {
  await using resources = new AsyncDisposableStack();
  /** Whether the last command was answered. */
  let isAvailable = true;
  async function connect(name: string): Promise<RedisClient> {
    const client = createRedisClient(url);
    let isReady = true;
    client.on('error', (err: Error) => {
      if (isReady) log.warn({ err, name }, 'redis.connection.lost');
      isReady = false;
    });
    client.on('ready', () => {
      isReady = true;
      isAvailable = true;
      log.info({ name }, 'redis.connection.ready');
    });
    resources.defer(() => client.destroy());
    const failed = Promise.withResolvers<never>();
    client.once('error', failed.reject);
    await withTimeout(Promise.race([client.connect(), failed.promise]));
    client.off('error', failed.reject);
    return client;
  }
  /**
   * Replaces a connection that does not answer. The system might notice it only after minutes. A client that is not
   * ready is reconnecting already, and doing it twice would leave a connection open.
   */
  async function check(client: RedisClient): Promise<void> {
    try {
      await withTimeout(client.ping());
      isAvailable = true;
    } catch (err) {
      isAvailable = false;
      log.debug({ err }, 'redis.connection.silent');
      if (!client.isReady) return;
      client.destroy();
      client.connect().catch((error: unknown) => log.debug({ err: error }, 'redis.connection.failed'));
    }
  }
  try {
    const client = await connect('commands');
    const subscriber = await connect('subscriptions');
    let checks = Promise.resolve<unknown>(undefined);
    resources.defer(
      scheduleRepeating(realTimers, CHECK_INTERVAL_MS, () => {
        checks = Promise.all([check(client), check(subscriber)]);
      }),
    );
    resources.defer(() => checks.then(() => undefined));
    const moved = resources.move();
    return {
      client,
      subscriber,
      prefix,
      publish: (channel, message) => {
        client.publish(channel, message).catch((err: unknown) => log.debug({ err }, 'redis.message.lost'));
      },
      run: async (command) => {
        if (!isAvailable) throw new Error('Redis is not available');
        try {
          return await withTimeout(command(client));
        } catch (error) {
          isAvailable = false;
          throw error;
        }
      },
      [Symbol.asyncDispose]: () => moved.disposeAsync(),
    };
  } catch (error) {
    throw new Refusal(
      'redis.unavailable',
      `Redis cannot be used (${String(error)}). Check REDIS_URL, and that Redis is running`,
      { cause: error },
    );
  }
}

/** Creates the channel of a cluster on Redis. */
export async function createRedisChannel(redis: Redis): Promise<MessageChannel> {
  const { client, subscriber, publish, run, prefix } = redis;
  const name = `${prefix}cluster`;
  const textListeners: ((text: string) => void)[] = [];
  const interruptionListeners: (() => void)[] = [];
  await subscriber.subscribe(name, (text) => {
    for (const listener of textListeners) listener(text);
  });
  // Either connection may have lost messages.
  for (const connection of [client, subscriber])
    connection.on('ready', () => {
      for (const listener of interruptionListeners) listener();
    });
  return {
    send: (text) => publish(name, text),
    onText: (listener) => void textListeners.push(listener),
    onInterruption: (listener) => void interruptionListeners.push(listener),
    countReceivers: async () => (await run(() => client.pubSubNumSub([name])))[name] ?? 0,
  };
}

/** Creates the adapter with which sockets of other instances receive what is sent to their rooms. */
export function createRoomAdapter(
  { subscriber, publish, prefix }: Redis,
  log: FastifyBaseLogger,
): ReturnType<typeof createAdapter> {
  const [on, off] = [() => undefined, () => undefined];
  /** The adapter ignores what its commands return, and a rejection would end the server. */
  const logFailure =
    <Args extends readonly unknown[]>(command: (...args: Args) => Promise<unknown>) =>
    (...args: Args): void =>
      void command(...args).catch((err: unknown) => log.debug({ err }, 'redis.message.lost'));
  const subscriptions = {
    on,
    off,
    subscribe: logFailure(subscriber.subscribe.bind(subscriber)),
    unsubscribe: logFailure(subscriber.unsubscribe.bind(subscriber)),
    pSubscribe: logFailure(subscriber.pSubscribe.bind(subscriber)),
    pUnsubscribe: logFailure(subscriber.pUnsubscribe.bind(subscriber)),
  };
  return createAdapter({ publish, pSubscribe: () => undefined, on, off }, subscriptions, { key: `${prefix}rooms` });
}
