import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';
import { RateLimitError } from '../http/rateLimiter.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import type { StoredAccount } from './accountStore.ts';
import type { LoginAttempt, LoginThrottle } from './loginThrottle.ts';
import type { PasswordHasher } from './passwords.ts';

/** Runs a limited amount of work concurrently. The rest waits in two short queues. */
interface ConcurrencyLimit {
  /** @throws RateLimitError if the queue is full. */
  readonly run: <T>(work: () => Promise<T>, queueName: QueueName) => Promise<T>;
}

/** `trusted` goes first and has its own queue, so that a flood of visitors cannot fill it. */
type QueueName = 'trusted' | 'unauthenticated';

/** Creates a limit. Each queue holds at most `maxQueued` waiting calls. */
export function createConcurrencyLimit(maxConcurrent: number, maxQueued: number): ConcurrencyLimit {
  const queues: Record<QueueName, (() => void)[]> = { trusted: [], unauthenticated: [] };
  let runningCount = 0;
  async function acquire(queueName: QueueName): Promise<void> {
    if (runningCount < maxConcurrent) {
      runningCount += 1;
      return;
    }
    if (queues[queueName].length >= maxQueued)
      throw new RateLimitError(2, 'The server is busy checking passwords. Try again in a few seconds');
    await new Promise<void>((resolve) => {
      queues[queueName].push(resolve);
    });
  }
  function release(): void {
    const next = queues.trusted.shift() ?? queues.unauthenticated.shift();
    // Pass the slot on directly, so that no newcomer can take it.
    if (next) next();
    else runningCount -= 1;
  }
  return {
    run: async (work, queueName) => {
      await acquire(queueName);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

interface PasswordVerifierDeps {
  readonly hasher: PasswordHasher;
  readonly hashLimit: ConcurrencyLimit;
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

interface SecondFactorAttempt<T> {
  readonly attempt: LoginAttempt;
  readonly account: number;
  /** Returns undefined if the factor is wrong. */
  readonly verify: () => Promise<T | undefined>;
  /** Message of the refusal. */
  readonly refusalMessage: string;
}

const MAX_QUEUED_FACTORS = 32;

/** Creates a verifier of passwords, with throttle, queue and the same cost for unknown accounts. */
export function createPasswordVerifier({ hasher, hashLimit, throttle, log }: PasswordVerifierDeps) {
  // One after the other, so that many concurrent guesses can't all use the last free attempt.
  const factorLimit = createConcurrencyLimit(1, MAX_QUEUED_FACTORS);
  async function assertAllowed(attempt: LoginAttempt, account: number | undefined): Promise<void> {
    try {
      await throttle.assertAllowed(attempt);
    } catch (error) {
      if (error instanceof RateLimitError)
        logSecurityEvent(log, 'login.throttled', { account, address: attempt.address });
      throw error;
    }
  }
  return {
    /** Returns the account with this password. @throws Refusal if it is wrong; RateLimitError if it was not checked. */
    verifyAccount: async ({
      attempt,
      account: accountId,
      password,
      readAccount,
      refusalMessage,
    }: PasswordAttempt): Promise<StoredAccount> => {
      await assertAllowed(attempt, accountId);
      return hashLimit.run(async () => {
        await assertAllowed(attempt, accountId); // attempts before it in the queue may have used up the free ones
        const account = await readAccount();
        const isMatch = await hasher.verify(account?.password ?? hasher.dummyHash, password);
        if (account === undefined || !isMatch) {
          await throttle.recordFailure(attempt);
          logSecurityEvent(log, 'login.failed', { account: account?.id, address: attempt.address });
          throw new Refusal('auth.wrong_credentials', refusalMessage);
        }
        await throttle.recordSuccess(attempt);
        return account;
      }, getQueueName(attempt));
    },
    /**
     * Returns what `verify` returns. Counted apart from passwords, so that a right password does not reset the count.
     * @throws Refusal if the factor is wrong; RateLimitError if it was not checked.
     */
    verifySecondFactor: async <T>({
      attempt: { name, ...client },
      account,
      verify,
      refusalMessage,
    }: SecondFactorAttempt<T>): Promise<T> => {
      const attempt = { ...client, name: `${name}\u0000second factor` }; // no account can have this name
      await assertAllowed(attempt, account);
      return factorLimit.run(async () => {
        await assertAllowed(attempt, account);
        const result = await verify();
        if (result === undefined) {
          await throttle.recordFailure(attempt);
          logSecurityEvent(log, 'secondfactor.failed', { account, address: attempt.address });
          throw new Refusal('auth.wrong_second_factor', refusalMessage);
        }
        await throttle.recordSuccess(attempt);
        return result;
      }, getQueueName(attempt));
    },
    /** Returns the stored hash, or a new one if its parameters are outdated. */
    renewHash: async (account: StoredAccount, password: string): Promise<string> =>
      hasher.isOutdated(account.password) ? hashLimit.run(() => hasher.hash(password), 'trusted') : account.password,
    hashNew: async (password: string, queueName: QueueName): Promise<string> =>
      hashLimit.run(() => hasher.hash(password), queueName),
  };
}

export type PasswordVerifier = ReturnType<typeof createPasswordVerifier>;
