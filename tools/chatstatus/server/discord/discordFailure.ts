import type { Client, SimpleShardingStrategy, WebSocketOptions } from 'discord.js';
import { MINUTE_MS } from '#platform/contract/duration.ts';

/** Methods of a shard that the library calls without awaiting them. */
export const UNAWAITED_METHODS = ['internalConnect', 'onMessage', 'onClose', 'heartbeat'] as const;

type Method = (...args: readonly unknown[]) => unknown;
/** A socket of the ws package. */
interface Connection {
  readonly readyState: number;
  readonly CONNECTING: number;
  readonly on: (event: 'error', listener: () => void) => void;
  readonly terminate: () => void;
}
/** A shard of the library, with its private members. */
type Shard = Record<(typeof UNAWAITED_METHODS)[number] | 'destroy', Method> & {
  readonly connection: Connection | null;
};

const listShards = (strategy: SimpleShardingStrategy): Iterable<Shard> =>
  // The library has no public access to its shards.
  (strategy['shards'] as unknown as ReadonlyMap<number, Shard>).values();

export interface ShardWatcher {
  /** Called for every message of a shard, before it is parsed. */
  readonly onReceived: () => void;
  /** Called for every error of a shard. */
  readonly onFailed: (error: unknown) => void;
  /** Whether this client is abandoned: its shards must not reconnect. */
  readonly isEnded: () => boolean;
}

const ignore = (): void => undefined;

/** Closes a socket that is still connecting. The library would leave it open and not catch its error. */
function closeIfConnecting(connection: Connection | null): void {
  if (!connection || connection.readyState !== connection.CONNECTING) return;
  Object.assign(connection, { onmessage: null, onclose: null, onerror: null });
  connection.on('error', ignore);
  connection.terminate();
}

/** Close code of a socket whose peer sent no close frame. */
const NO_CLOSE_FRAME = 1006;

function guardShard(shard: Shard, { onReceived, onFailed, isEnded }: ShardWatcher): void {
  for (const name of UNAWAITED_METHODS) {
    const method = shard[name].bind(shard);
    shard[name] = async (...args) => {
      if (name === 'internalConnect' && isEnded()) return undefined;
      if (name === 'onMessage' || (name === 'onClose' && args[0] !== NO_CLOSE_FRAME)) onReceived();
      try {
        return await method(...args);
      } catch (error) {
        onFailed(error);
        return undefined;
      }
    };
  }
  const destroy = shard.destroy.bind(shard);
  shard.destroy = async (...args) => {
    closeIfConnecting(shard.connection);
    return destroy(...args);
  };
}

/**
 * Creates a sharding strategy that reports errors of its shards. The library does not await their work, so an error
 * would be an unhandled rejection and crash the server.
 */
export function createShardingStrategy(
  Strategy: typeof SimpleShardingStrategy,
  watcher: ShardWatcher,
): NonNullable<WebSocketOptions['buildStrategy']> {
  return (manager) => {
    const strategy = new Strategy(manager);
    const spawn = strategy.spawn.bind(strategy);
    strategy.spawn = async (ids) => {
      await spawn(ids);
      for (const shard of listShards(strategy)) guardShard(shard, watcher);
    };
    return strategy;
  };
}

/** Skips gateway messages that crash the library, so that later ones are still read. */
export function skipInvalidMessages({ ws }: Client, onSkipped: (error: unknown) => void): void {
  const reader = ws as unknown as { handlePacket: Method };
  const read = reader.handlePacket.bind(ws);
  reader.handlePacket = (...args) => {
    try {
      return read(...args);
    } catch (error) {
      onSkipped(error);
      return false;
    }
  };
}

/** What is known about a connection that failed. */
export interface FailedConnection {
  /** Close code of the gateway. */
  readonly closed?: number | undefined;
  /** HTTP status of the API. */
  readonly status?: number | undefined;
  /** Message of the error. */
  readonly message: string;
}

/** A failure as a sentence, and when to retry. */
export interface DiscordProblem {
  readonly sentence: string;
  readonly retryMs: number;
}

/** Only the operator can repair it: retries often enough to notice that soon. */
const MANUAL_FIX_RETRY_MS = 5 * MINUTE_MS;
const OUTAGE_RETRY_MS = 30_000;

const BAD_TOKEN: DiscordProblem = {
  sentence:
    'Discord refused the bot token, so nothing is recorded. Ask the owner of this server to check DISCORD_TOKEN',
  retryMs: MANUAL_FIX_RETRY_MS,
};
const NO_INTENT: DiscordProblem = {
  sentence:
    'The bot is not allowed to see who is online, so nothing is recorded. Its owner can turn on Presence Intent in the developer portal',
  retryMs: MANUAL_FIX_RETRY_MS,
};
const OFFLINE: DiscordProblem = {
  sentence: 'Discord cannot be reached. The server is trying again, and nothing is recorded until then',
  retryMs: OUTAGE_RETRY_MS,
};

const AUTHENTICATION_FAILED = 4004;
const DISALLOWED_INTENTS = 4014;

/** Describes a failure for the page. Never quotes Discord, as its message may contain the token. */
export function describeFailure({ closed, status, message }: FailedConnection): DiscordProblem {
  if (closed === DISALLOWED_INTENTS || /disallowed intents/i.test(message)) return NO_INTENT;
  if (closed === AUTHENTICATION_FAILED || status === 401 || /authentication failed|invalid token/i.test(message))
    return BAD_TOKEN;
  return OFFLINE;
}
