import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';

/**
 * Has whoever holds the same account wait until the transaction ends, so that what is counted or looked for holds until the rows that follow from it
 * are written. The first statement of a transaction: what was read before may have changed meanwhile. On SQLite transactions come one after another.
 */
export const lockAccount = async (
  { dialect }: Pick<Database, 'dialect'>,
  tx: Kysely<unknown>,
  account: number,
): Promise<void> => {
  if (dialect !== 'postgres') return;
  const accounts = tx.$extendTables<{ account: { id: number } }>().selectFrom('account').select('id');
  await accounts.where('id', '=', account).forNoKeyUpdate().execute();
};
