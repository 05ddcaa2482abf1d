import type { Client, SimpleShardingStrategy, WebSocketOptions } from 'discord.js';
import { MINUTE_MS } from '#platform/contract/duration.ts';

/** Methods of a shard that the library calls without awaiting them. */
export const ALONE = ['internalConnect', 'onMessage', 'onClose', 'heartbeat'] as const;

type Method = (...given: readonly unknown[]) => unknown;
/** A socket of the ws package. */
interface Connection {
  readonly readyState: number;
  readonly CONNECTING: number;
  readonly on: (event: 'error', then: () => void) => void;
  readonly terminate: () => void;
}
/** A shard of the library, with its private members. */
type Shard = Record<(typeof ALONE)[number] | 'destroy', Method> & { readonly connection: Connection | null };

const listShards = (strategy: SimpleShardingStrategy): Iterable<Shard> =>
  // The library has no public access to its shards.
  (strategy['shards'] as unknown as ReadonlyMap<number, Shard>).values();

export interface Watch {
  /** Called for every message of a shard, before it is parsed. */
  readonly onReceived: () => void;
  /** Called for every error of a shard. */
  readonly onFailed: (error: unknown) => void;
  /** Whether this client is abandoned: its shards must not reconnect. */
  readonly isOver: () => boolean;
}

const ignore = (): void => undefined;

/** Closes a socket that is still connecting. The library would leave it open and not catch its error. */
const leaveIfOpening = (connection: Connection | null): void => {
  if (!connection || connection.readyState !== connection.CONNECTING) return;
  Object.assign(connection, { onmessage: null, onclose: null, onerror: null });
  connection.on('error', ignore);
  connection.terminate();
};

/** Close code of a socket whose peer sent no close frame. */
const BROKEN_OFF = 1006;

const guard = (line: Shard, { onReceived, onFailed, isOver }: Watch): void => {
  for (const name of ALONE) {
    const does = line[name].bind(line);
    line[name] = async (...given) => {
      if (name === 'internalConnect' && isOver()) return undefined;
      if (name === 'onMessage' || (name === 'onClose' && given[0] !== BROKEN_OFF)) onReceived();
      try {
        return await does(...given);
      } catch (error) {
        onFailed(error);
        return undefined;
      }
    };
  }
  const destroy = line.destroy.bind(line);
  line.destroy = async (...given) => {
    leaveIfOpening(line.connection);
    return destroy(...given);
  };
};

/**
 * Creates a sharding strategy that reports errors of its shards. The library does not await their work, so an error
 * would be an unhandled rejection and crash the server.
 */
export function createShardingStrategy(
  Strategy: typeof SimpleShardingStrategy,
  watch: Watch,
): NonNullable<WebSocketOptions['buildStrategy']> {
  return (manager) => {
    const strategy = new Strategy(manager);
    const spawn = strategy.spawn.bind(strategy);
    strategy.spawn = async (ids) => {
      await spawn(ids);
      for (const line of listShards(strategy)) guard(line, watch);
    };
    return strategy;
  };
}

/** Skips gateway messages that crash the library, so that later ones are still read. */
export function skipBroken({ ws }: Client, skipped: (error: unknown) => void): void {
  const reader = ws as unknown as { handlePacket: Method };
  const read = reader.handlePacket.bind(ws);
  reader.handlePacket = (...given) => {
    try {
      return read(...given);
    } catch (error) {
      skipped(error);
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
const MENDED_BY_HAND_MS = 5 * MINUTE_MS;
const PASSING_MS = 30_000;

const BAD_TOKEN: DiscordProblem = {
  sentence:
    'Discord refused the bot token, so nothing is recorded. Ask the owner of this server to check DISCORD_TOKEN',
  retryMs: MENDED_BY_HAND_MS,
};
const NO_INTENT: DiscordProblem = {
  sentence:
    'The bot is not allowed to see who is online, so nothing is recorded. Its owner can turn on Presence Intent in the developer portal',
  retryMs: MENDED_BY_HAND_MS,
};
const OFFLINE: DiscordProblem = {
  sentence: 'Discord cannot be reached. The server is trying again, and nothing is recorded until then',
  retryMs: PASSING_MS,
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
