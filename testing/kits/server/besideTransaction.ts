import { setTimeout } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';

interface ConcurrentWork<T> {
  /** Writes first and commits last. */
  readonly change: (tx: Transaction<unknown>) => Promise<void>;
  /** Starts in between. */
  readonly other: () => Promise<T>;
}

/**
 * Returns the result of work that starts while another transaction has written but not committed.
 * PostgreSQL shows it the old state, and blocks it on the same rows; on SQLite it waits for the write queue.
 */
export async function runDuringTransaction<T>(
  { transaction }: Pick<Database, 'transaction'>,
  { change, other }: ConcurrentWork<T>,
): Promise<T> {
  const hasWritten = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const transactionEnd = transaction(async ({ tx }) => {
    await change(tx);
    hasWritten.resolve();
    await mayCommit.promise;
  });
  await Promise.race([hasWritten.promise, transactionEnd]);
  const result = other();
  // The order in which failures are observed does not matter.
  result.catch(() => undefined);
  await setTimeout(200);
  mayCommit.resolve();
  await transactionEnd;
  return result;
}
