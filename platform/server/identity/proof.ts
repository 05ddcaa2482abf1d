import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';
import { TooMany } from '../limits.ts';
import { securityEvent } from '../log.ts';
import type { StoredAccount } from './accountStore.ts';
import type { Hasher } from './hashing.ts';
import type { Attempt, Throttle } from './throttle.ts';
import type { Line, Turns } from './turns.ts';

interface Parts {
  readonly hasher: Hasher;
  readonly turns: Turns;
  readonly throttle: Throttle;
  readonly log: FastifyBaseLogger;
}

interface Try {
  readonly attempt: Attempt;
  /** The account of that name, where there is one. */
  readonly account: number | undefined;
  readonly password: string;
  /** Reads the account when its turn has come: the password may have changed while it waited. */
  readonly read: () => Promise<StoredAccount | undefined>;
  /** The refusal's sentence. */
  readonly wrong: string;
}

const lineOf = ({ vouched }: Attempt): Line => (vouched === undefined ? 'strangers' : 'trusted');

/** Passwords against what is stored of them: throttled, in turn, and at the same cost whether there is such an account or not. */
export const makeProof = ({ hasher, turns, throttle, log }: Parts) => {
  const check = (attempt: Attempt, account: number | undefined): void => {
    try {
      throttle.check(attempt);
    } catch (error) {
      if (error instanceof TooMany) securityEvent(log, 'login.throttled', { account, address: attempt.address });
      throw error;
    }
  };
  return {
    /** Gives the account whose password it is. @throws Refusal otherwise; TooMany where nothing was tried at all. */
    prove: async ({ attempt, account: asked, password, read, wrong }: Try): Promise<StoredAccount> => {
      check(attempt, asked);
      return turns.take(async () => {
        check(attempt, asked); // those before it in the line may have used up the free tries
        const account = await read();
        const fits = await hasher.verify(account?.password ?? hasher.dummy, password);
        if (account === undefined || !fits) {
          throttle.failed(attempt);
          securityEvent(log, 'login.failed', { account: account?.id, address: attempt.address });
          throw new Refusal(wrong);
        }
        throttle.succeeded(attempt);
        return account;
      }, lineOf(attempt));
    },
    /** The stored hash, made anew where its parameters are no longer today's. */
    renewed: async (account: StoredAccount, password: string): Promise<string> =>
      hasher.isOutdated(account.password) ? turns.take(() => hasher.hash(password), 'trusted') : account.password,
    hashNew: async (password: string, line: Line): Promise<string> => turns.take(() => hasher.hash(password), line),
  };
};

export type Proof = ReturnType<typeof makeProof>;
