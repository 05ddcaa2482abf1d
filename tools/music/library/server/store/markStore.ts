import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { Mark } from '../../domain/song.ts';
import { withMusicTables } from './tables.ts';

/** Creates the database access for counted plays. */
export function createPlayStore({ db }: Database) {
  return {
    /** Inserts a play. @returns whether it was not counted before. */
    insert: async (tx: Transaction<unknown>, account: number, play: string, time: number): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await withMusicTables(tx)
        .insertInto('music_play')
        .values({ account, play, time })
        .onConflict((conflict) => conflict.columns(['account', 'play']).doNothing())
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    purge: async (before: number): Promise<void> => {
      await withMusicTables(db).deleteFrom('music_play').where('time', '<=', before).execute();
    },
  };
}

type MarkTables = {
  music_mark: { account: number; item: string; starred: number | null; rating: number };
};

/** Creates the database access for stars and ratings of artists and albums, stored by the ids that players use. */
export function createMarkStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<MarkTables>();
  async function upsert(
    tx: Transaction<unknown>,
    row: MarkTables['music_mark'],
    set: Partial<MarkTables['music_mark']>,
  ): Promise<void> {
    await tx
      .$extendTables<MarkTables>()
      .insertInto('music_mark')
      .values(row)
      .onConflict((conflict) => conflict.columns(['account', 'item']).doUpdateSet(set))
      .execute();
  }
  return {
    /** Returns all marks of an account by id. */
    getAll: async (account: number): Promise<ReadonlyMap<string, Mark>> => {
      const rows = await db
        .selectFrom('music_mark')
        .select(['item', 'starred', 'rating'])
        .where('account', '=', account)
        .execute();
      return new Map(rows.map(({ item, starred, rating }) => [item, { starred: starred ?? undefined, rating }]));
    },
    /** @param starred milliseconds since the epoch; undefined to remove the star. */
    star: (tx: Transaction<unknown>, account: number, item: string, starred: number | undefined): Promise<void> =>
      upsert(tx, { account, item, starred: starred ?? null, rating: 0 }, { starred: starred ?? null }),
    rate: (tx: Transaction<unknown>, account: number, item: string, rating: number): Promise<void> =>
      upsert(tx, { account, item, starred: null, rating }, { rating }),
  };
}
