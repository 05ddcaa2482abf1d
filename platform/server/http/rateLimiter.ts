import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export interface Rate {
  readonly times: number;
  readonly seconds: number;
}

/** Rates by session and address (reliability.md section 3). */
export interface RateLimiter {
  /** Counts one use. @throws TooMany when there were more than `times` in `seconds`. */
  readonly consume: (name: string, key: string, rate: Rate) => Promise<void>;
}

/** Answered as 429 with `Retry-After`. */
export class RateLimitError extends Error {
  override readonly name = 'TooMany';
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, message = 'Too many requests, try again later') {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Figures by the minute are counted in windows of half a minute, so that a caller over them waits for 30 s at most. */
const toShorterWindow = ({ times, seconds }: Rate): Rate =>
  seconds === 60 ? { times: Math.max(1, Math.floor(times / 2)), seconds: 30 } : { times, seconds };

/** Counts in the memory of this process. `isOn: false` (`RATE_LIMITS=off`) lets everything through. */
export function createRateLimiter({ isOn }: { readonly isOn: boolean }): RateLimiter {
  const counters = new Map<string, RateLimiterMemory>();
  const counterOf = (name: string, { times, seconds }: Rate): RateLimiterMemory => {
    const kind = `${name} ${times}/${seconds}`;
    const known = counters.get(kind);
    if (known) return known;
    const made = new RateLimiterMemory({ keyPrefix: '', points: times, duration: seconds });
    counters.set(kind, made);
    return made;
  };
  return {
    consume: async (name, key, rate) => {
      if (!isOn) return;
      try {
        await counterOf(name, toShorterWindow(rate)).consume(key);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw new RateLimitError(Math.max(1, Math.ceil(error.msBeforeNext / 1000)));
      }
    },
  };
}
