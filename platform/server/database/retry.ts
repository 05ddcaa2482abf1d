import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { ControlledTransaction, Kysely } from 'kysely';
import type { RunTransaction } from './transaction.ts';

const MAX_ATTEMPTS = 4;

/**
 * Transactions that start again, up to 3 times and 10 to 100 ms apart, when PostgreSQL stopped them for another's sake or the
 * connection was lost before COMMIT. A COMMIT whose answer was lost is not repeated: nobody knows whether it was done.
 */
export const createRetryingTransaction =
  (db: Kysely<unknown>, log: FastifyBaseLogger): RunTransaction =>
  async (body) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await runOnce(db, log, body);
      } catch (error) {
        if (tries === MAX_ATTEMPTS || !(isAbortedByDatabase(error) || isConnectionLost(error))) throw error;
        log.warn({ err: error, tries }, 'database.transaction starts again');
      }
      await pause(10 + Math.random() * 90);
    }
  };

const runOnce = async <T>(
  db: Kysely<unknown>,
  log: FastifyBaseLogger,
  body: (tx: ControlledTransaction<unknown>) => Promise<T>,
): Promise<T> => {
  const tx = await db.startTransaction().execute();
  const takeBack = async (): Promise<void> => {
    try {
      await tx.rollback().execute();
    } catch (err) {
      // The first error is the one to tell; a connection too broken to roll back is thrown away by the pool.
      log.debug({ err }, 'database.rollback failed');
    }
  };
  let done: T;
  try {
    done = await body(tx);
  } catch (error) {
    await takeBack();
    throw error;
  }
  try {
    await tx.commit().execute();
  } catch (error) {
    await takeBack();
    if (!isConnectionLost(error) || isUnsent(error)) throw error;
    throw new Error('the connection was lost during COMMIT: whether the rows were kept is unknown', { cause: error });
  }
  return done;
};

/** Serialization failure, or chosen to end a deadlock. */
const isAbortedByDatabase = (error: unknown): boolean => /^40(001|P01)$/.test(codeOf(error));

const isConnectionLost = (error: unknown): boolean =>
  /^(08...|57P0[123]|ECONNRESET|ECONNREFUSED|EPIPE|ENOENT|ETIMEDOUT)$/.test(codeOf(error)) ||
  (error instanceof Error && error.message.startsWith('Connection terminated')) ||
  isUnsent(error);

/** The connection was known to be broken, so that the statement never left. */
const isUnsent = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('Client has encountered a connection error');

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
