import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from '../cluster/redis.ts';

/** A rate limit: at most `times` uses in `seconds`. */
export interface Rate {
  readonly times: number;
  readonly seconds: number;
}

/** Limits uses per session and address (docs/design/reliability.md section 8.3). */
export interface RateLimiter {
  /** Counts one use. @throws RateLimitError after more than `times` uses in `seconds`. */
  readonly consume: (name: string, key: string, rate: Rate) => Promise<void>;
}

/** Error that becomes a 429 response with `Retry-After`. */
export class RateLimitError extends Error {
  override readonly name = 'RateLimitError';
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, message = 'Too many requests. Try again later') {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Halves rates per minute and their window, so that a caller who exceeds one waits for at most 30 s. */
const toShorterWindow = ({ times, seconds }: Rate): Rate =>
  seconds === 60 ? { times: Math.max(1, Math.floor(times / 2)), seconds: 30 } : { times, seconds };

export interface RateLimiterOptions {
  /** `false` (`RATE_LIMITS=off`) disables it. */
  readonly isOn: boolean;
  /** Counts for all instances together; while Redis is not available, each counts for itself. */
  readonly redis?: Redis | undefined;
}

/** Creates a limiter that counts in this process, or in Redis. */
export function createRateLimiter({ isOn, redis }: RateLimiterOptions): RateLimiter {
  const counters = new Map<string, RateLimiterAbstract>();
  function createCounter(kind: string, { times, seconds }: Rate): RateLimiterAbstract {
    const local = new RateLimiterMemory({ keyPrefix: '', points: times, duration: seconds });
    if (!redis) return local;
    return new RateLimiterRedis({
      storeClient: {
        eval: (...args: Parameters<Redis['client']['eval']>) => redis.run((client) => client.eval(...args)),
      },
      useRedisPackage: true,
      keyPrefix: `${redis.prefix}rate ${kind}`,
      points: times,
      duration: seconds,
      insuranceLimiter: local,
    });
  }
  function getCounter(name: string, rate: Rate): RateLimiterAbstract {
    const kind = `${name} ${rate.times}/${rate.seconds}`;
    const existing = counters.get(kind);
    if (existing) return existing;
    const counter = createCounter(kind, rate);
    counters.set(kind, counter);
    return counter;
  }
  return {
    consume: async (name, key, rate) => {
      if (!isOn) return;
      try {
        await getCounter(name, toShorterWindow(rate)).consume(key);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw new RateLimitError(Math.max(1, Math.ceil(error.msBeforeNext / 1000)));
      }
    },
  };
}
