import type { Client, SimpleShardingStrategy, WebSocketOptions } from 'discord.js';

/** What a line does with nobody waiting for it, and what could fail there. */
export const ALONE = ['internalConnect', 'onMessage', 'onClose', 'heartbeat'] as const;

type Method = (...given: readonly unknown[]) => unknown;
/** A socket of the package ws. */
interface Connection {
  readonly readyState: number;
  readonly CONNECTING: number;
  readonly on: (event: 'error', then: () => void) => void;
  readonly terminate: () => void;
}
/** A line of the library's, by what it keeps to itself. */
type Line = Record<(typeof ALONE)[number] | 'destroy', Method> & { readonly connection: Connection | null };

const linesOf = (strategy: SimpleShardingStrategy): Iterable<Line> =>
  // The library has no other way to its lines.
  (strategy['shards'] as unknown as ReadonlyMap<number, Line>).values();

export interface Watch {
  /** Told of every word that comes over a line, before it is understood. */
  readonly heard: () => void;
  /** Told of what a line could not do. */
  readonly failed: (error: unknown) => void;
  /** Whether this client was given up: its line is not opened again. */
  readonly isOver: () => boolean;
}

const ignore = (): void => undefined;

/** The library would leave it open, and hear neither what it says nor its error, which nobody would catch. */
const leaveIfOpening = (connection: Connection | null): void => {
  if (!connection || connection.readyState !== connection.CONNECTING) return;
  Object.assign(connection, { onmessage: null, onclose: null, onerror: null });
  connection.on('error', ignore);
  connection.terminate();
};

/** What a socket gives in place of a code where the other end did not say that it closes. */
const BROKEN_OFF = 1006;

const guard = (line: Line, { heard, failed, isOver }: Watch): void => {
  for (const name of ALONE) {
    const does = line[name].bind(line);
    line[name] = async (...given) => {
      if (name === 'internalConnect' && isOver()) return undefined;
      if (name === 'onMessage' || (name === 'onClose' && given[0] !== BROKEN_OFF)) heard();
      try {
        return await does(...given);
      } catch (error) {
        failed(error);
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
 * Lines whose own failures are told: the library waits for none of what they do by themselves, so that an error there would be one that nobody
 * caught, which ends the server.
 */
export function standingLines(
  Strategy: typeof SimpleShardingStrategy,
  watch: Watch,
): NonNullable<WebSocketOptions['buildStrategy']> {
  return (manager) => {
    const strategy = new Strategy(manager);
    const spawn = strategy.spawn.bind(strategy);
    strategy.spawn = async (ids) => {
      await spawn(ids);
      for (const line of linesOf(strategy)) guard(line, watch);
    };
    return strategy;
  };
}

/** Leaves out what the gateway says and the library trips over: what comes after it is understood all the same. */
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

/** What is known of a connection that failed. */
export interface FailedConnection {
  /** The gateway's close code. */
  readonly closed?: number | undefined;
  /** HTTP status of the API. */
  readonly status?: number | undefined;
  /** What was said of it. */
  readonly said: string;
}

/** A failure in words, and when to try again. */
export interface Trouble {
  readonly sentence: string;
  readonly retryMs: number;
}

/** Nobody but the operator can mend it: often enough to see that they did. */
const MENDED_BY_HAND_MS = 5 * 60_000;
const PASSING_MS = 30_000;

const BAD_TOKEN: Trouble = {
  sentence: 'Discord refused the token of the bot, which DISCORD_TOKEN holds. Nothing is recorded meanwhile',
  retryMs: MENDED_BY_HAND_MS,
};
const NO_INTENT: Trouble = {
  sentence:
    'Discord does not let the bot see who is online: its owner switches on Presence Intent in the developer portal. Nothing is recorded meanwhile',
  retryMs: MENDED_BY_HAND_MS,
};
const OFFLINE: Trouble = {
  sentence: 'Discord cannot be reached; it is tried again by itself. Nothing is recorded meanwhile',
  retryMs: PASSING_MS,
};

const AUTHENTICATION_FAILED = 4004;
const DISALLOWED_INTENTS = 4014;

/** What is wrong, for the page. What Discord said itself is not quoted: it may hold the token. */
export function troubleOf({ closed, status, said }: FailedConnection): Trouble {
  if (closed === DISALLOWED_INTENTS || /disallowed intents/i.test(said)) return NO_INTENT;
  if (closed === AUTHENTICATION_FAILED || status === 401 || /authentication failed|invalid token/i.test(said))
    return BAD_TOKEN;
  return OFFLINE;
}
