import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

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

/** Creates a limiter that counts in this process. `isOn: false` (`RATE_LIMITS=off`) disables it. */
export function createRateLimiter({ isOn }: { readonly isOn: boolean }): RateLimiter {
  const counters = new Map<string, RateLimiterMemory>();
  function getCounter(name: string, { times, seconds }: Rate): RateLimiterMemory {
    const kind = `${name} ${times}/${seconds}`;
    const existing = counters.get(kind);
    if (existing) return existing;
    const counter = new RateLimiterMemory({ keyPrefix: '', points: times, duration: seconds });
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
