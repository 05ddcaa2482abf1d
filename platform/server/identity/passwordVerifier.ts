import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';
import { RateLimitError } from '../http/rateLimiter.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import type { QueueName, ConcurrencyLimit } from '../schedule/concurrencyLimit.ts';
import type { StoredAccount } from './accountStore.ts';
import type { LoginAttempt, LoginThrottle } from './loginThrottle.ts';
import type { PasswordHasher } from './passwords.ts';

interface PasswordVerifierDeps {
  readonly hasher: PasswordHasher;
  readonly turns: ConcurrencyLimit;
  readonly throttle: LoginThrottle;
  readonly log: FastifyBaseLogger;
}

interface PasswordAttempt {
  readonly attempt: LoginAttempt;
  /** The account of that name, where there is one. */
  readonly account: number | undefined;
  readonly password: string;
  /** Reads the account when its turn has come: the password may have changed while it waited. */
  readonly readAccount: () => Promise<StoredAccount | undefined>;
  /** The refusal's sentence. */
  readonly refusalMessage: string;
}

const getQueueName = ({ trustedBy }: LoginAttempt): QueueName => (trustedBy === undefined ? 'strangers' : 'trusted');

/** Passwords against what is stored of them: throttled, in turn, and at the same cost whether there is such an account or not. */
export function createPasswordVerifier({ hasher, turns, throttle, log }: PasswordVerifierDeps) {
  const check = (attempt: LoginAttempt, account: number | undefined): void => {
    try {
      throttle.assertAllowed(attempt);
    } catch (error) {
      if (error instanceof RateLimitError)
        logSecurityEvent(log, 'login.throttled', { account, address: attempt.address });
      throw error;
    }
  };
  return {
    /** Gives the account whose password it is. @throws Refusal otherwise; TooMany where nothing was tried at all. */
    prove: async ({
      attempt,
      account: asked,
      password,
      readAccount,
      refusalMessage,
    }: PasswordAttempt): Promise<StoredAccount> => {
      check(attempt, asked);
      return turns.run(async () => {
        check(attempt, asked); // those before it in the line may have used up the free tries
        const account = await readAccount();
        const fits = await hasher.verify(account?.password ?? hasher.dummyHash, password);
        if (account === undefined || !fits) {
          throttle.recordFailure(attempt);
          logSecurityEvent(log, 'login.failed', { account: account?.id, address: attempt.address });
          throw new Refusal(refusalMessage);
        }
        throttle.recordSuccess(attempt);
        return account;
      }, getQueueName(attempt));
    },
    /** The stored hash, made anew where its parameters are no longer today's. */
    renewed: async (account: StoredAccount, password: string): Promise<string> =>
      hasher.isOutdated(account.password) ? turns.run(() => hasher.hash(password), 'trusted') : account.password,
    hashNew: async (password: string, line: QueueName): Promise<string> => turns.run(() => hasher.hash(password), line),
  };
}

export type PasswordVerifier = ReturnType<typeof createPasswordVerifier>;
