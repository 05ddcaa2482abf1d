import { addressKey } from '#platform/server/address.ts';
import { type Limits, type Rate, TooMany } from '#platform/server/limits.ts';

/** From one address; those of this computer have no more than others. */
const WRONG_CODES: Rate = { times: 10, seconds: 60 };

const refusal = (milliseconds: number): TooMany =>
  new TooMany(Math.max(1, Math.ceil(milliseconds / 1000)), 'Too many wrong codes, try again in a minute');

/** Counts wrong codes. An address that had too many is answered nothing for a while, its right ones neither. */
export const makeTries = ({ limits, now }: { readonly limits: Limits; readonly now: () => Temporal.Instant }) => {
  const shut = new Map<string, number>();
  return {
    /** @throws TooMany */
    check: (address: string): void => {
      const left = (shut.get(addressKey(address)) ?? 0) - now().epochMilliseconds;
      if (left > 0) throw refusal(left);
      shut.delete(addressKey(address));
    },
    /** @throws TooMany where this one was one too many. */
    wrong: async (address: string): Promise<void> => {
      const key = addressKey(address);
      try {
        await limits.use('getstatusesdiscord wrong', key, WRONG_CODES);
      } catch (error) {
        if (!(error instanceof TooMany)) throw error;
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

export type Tries = ReturnType<typeof makeTries>;
