import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { Mark } from '../../domain/mark.ts';

type MarkTables = {
  music_mark: { account: number; item: string; starred: number | null; rating: number };
};

/** What a person has said of artists and albums. These are no rows of any table, so they go by the ids that players have them under. */
export const markStore = ({ db: ground }: Database) => {
  const db = ground.$extendTables<MarkTables>();
  const put = async (
    tx: Transaction<unknown>,
    row: MarkTables['music_mark'],
    set: Partial<MarkTables['music_mark']>,
  ): Promise<void> => {
    await tx
      .$extendTables<MarkTables>()
      .insertInto('music_mark')
      .values(row)
      .onConflict((already) => already.columns(['account', 'item']).doUpdateSet(set))
      .execute();
  };
  return {
    /** By id. */
    all: async (account: number): Promise<ReadonlyMap<string, Mark>> => {
      const rows = await db
        .selectFrom('music_mark')
        .select(['item', 'starred', 'rating'])
        .where('account', '=', account)
        .execute();
      return new Map(rows.map(({ item, starred, rating }) => [item, { starred: starred ?? undefined, rating }]));
    },
    /** @param starred Milliseconds since the epoch; undefined takes the mark away. */
    star: (tx: Transaction<unknown>, account: number, item: string, starred: number | undefined): Promise<void> =>
      put(tx, { account, item, starred: starred ?? null, rating: 0 }, { starred: starred ?? null }),
    rate: (tx: Transaction<unknown>, account: number, item: string, rating: number): Promise<void> =>
      put(tx, { account, item, starred: null, rating }, { rating }),
  };
};
