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
  /** The account with that name, if it exists. */
  readonly account: number | undefined;
  readonly password: string;
  /** Reads the account when its turn in the queue comes, because the password may have changed meanwhile. */
  readonly readAccount: () => Promise<StoredAccount | undefined>;
  /** Message of the refusal. */
  readonly refusalMessage: string;
}

const getQueueName = ({ trustedBy }: LoginAttempt): QueueName =>
  trustedBy === undefined ? 'unauthenticated' : 'trusted';

/** Creates a verifier of passwords, with throttle, queue and the same cost for unknown accounts. */
export function createPasswordVerifier({ hasher, turns, throttle, log }: PasswordVerifierDeps) {
  const assertAllowed = (attempt: LoginAttempt, account: number | undefined): void => {
    try {
      throttle.assertAllowed(attempt);
    } catch (error) {
      if (error instanceof RateLimitError)
        logSecurityEvent(log, 'login.throttled', { account, address: attempt.address });
      throw error;
    }
  };
  return {
    /** Returns the account with this password. @throws Refusal if it is wrong; RateLimitError if it was not checked. */
    prove: async ({
      attempt,
      account: accountId,
      password,
      readAccount,
      refusalMessage,
    }: PasswordAttempt): Promise<StoredAccount> => {
      assertAllowed(attempt, accountId);
      return turns.run(async () => {
        assertAllowed(attempt, accountId); // attempts before it in the queue may have used up the free ones
        const account = await readAccount();
        const isMatch = await hasher.verify(account?.password ?? hasher.dummyHash, password);
        if (account === undefined || !isMatch) {
          throttle.recordFailure(attempt);
          logSecurityEvent(log, 'login.failed', { account: account?.id, address: attempt.address });
          throw new Refusal('auth.wrong_credentials', refusalMessage);
        }
        throttle.recordSuccess(attempt);
        return account;
      }, getQueueName(attempt));
    },
    /** Returns the stored hash, or a new one if its parameters are outdated. */
    renewed: async (account: StoredAccount, password: string): Promise<string> =>
      hasher.isOutdated(account.password) ? turns.run(() => hasher.hash(password), 'trusted') : account.password,
    hashNew: async (password: string, queueName: QueueName): Promise<string> =>
      turns.run(() => hasher.hash(password), queueName),
  };
}

export type PasswordVerifier = ReturnType<typeof createPasswordVerifier>;
