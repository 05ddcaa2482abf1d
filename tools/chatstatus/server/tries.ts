import { getAddressKey } from '#platform/server/http/address.ts';
import { type RateLimiter, type Rate, RateLimitError } from '#platform/server/http/rateLimiter.ts';

/** From one address; those of this computer have no more than others. */
const WRONG_CODES: Rate = { times: 10, seconds: 60 };

const refusal = (milliseconds: number): RateLimitError =>
  new RateLimitError(Math.max(1, Math.ceil(milliseconds / 1000)), 'Too many wrong codes, try again in a minute');

/** Counts wrong codes. An address that had too many is answered nothing for a while, its right ones neither. */
export const createTries = ({
  limits,
  now,
}: {
  readonly limits: RateLimiter;
  readonly now: () => Temporal.Instant;
}) => {
  const shut = new Map<string, number>();
  return {
    /** @throws TooMany */
    check: (address: string): void => {
      const left = (shut.get(getAddressKey(address)) ?? 0) - now().epochMilliseconds;
      if (left > 0) throw refusal(left);
      shut.delete(getAddressKey(address));
    },
    /** @throws TooMany where this one was one too many. */
    wrong: async (address: string): Promise<void> => {
      const key = getAddressKey(address);
      try {
        await limits.consume('getstatusesdiscord wrong', key, WRONG_CODES);
      } catch (error) {
        if (!(error instanceof RateLimitError)) throw error;
        const milliseconds = error.retryAfterSeconds * 1000;
        shut.set(key, now().epochMilliseconds + milliseconds);
        throw refusal(milliseconds);
      }
    },
    /** Forgets whose time is over. */
    tidy: (): void => {
      const moment = now().epochMilliseconds;
      for (const [key, until] of shut) if (until <= moment) shut.delete(key);
    },
  };
};

export type Tries = ReturnType<typeof createTries>;
