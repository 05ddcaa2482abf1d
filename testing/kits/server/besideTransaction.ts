import { setTimeout } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';

interface ConcurrentWork<T> {
  /** Written first, and kept last. */
  readonly change: (tx: Transaction<unknown>) => Promise<void>;
  /** Begun in between. */
  readonly other: () => Promise<T>;
}

/**
 * Gives what becomes of work that begins when another transaction has written and has not committed yet. On PostgreSQL it sees what was before, and
 * waits for the end of that transaction where it changes the same rows; on SQLite it waits for its turn.
 */
export async function runDuringTransaction<T>(
  { transaction }: Pick<Database, 'transaction'>,
  { change, other }: ConcurrentWork<T>,
): Promise<T> {
  const written = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  const writing = transaction(async ({ tx }) => {
    await change(tx);
    written.resolve();
    await seen.promise;
  });
  await Promise.race([written.promise, writing]);
  const done = other();
  // Who hears of its failure first is not to matter.
  done.catch(() => undefined);
  await setTimeout(200);
  seen.resolve();
  await writing;
  return done;
}
