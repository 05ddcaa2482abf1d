import type { Transaction, Kysely } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { Mark } from '../../domain/song.ts';
import type { MusicTables } from './tables.ts';

const inside = (source: Kysely<unknown>) => source.$extendTables<MusicTables>();

/** Playings that were counted. */
export function playStore({ db }: Database) {
  return {
    /** @returns whether it was not counted yet. */
    take: async (tx: Transaction<unknown>, account: number, play: string, time: number): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await inside(tx)
        .insertInto('music_play')
        .values({ account, play, time })
        .onConflict((already) => already.columns(['account', 'play']).doNothing())
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    purge: async (before: number): Promise<void> => {
      await inside(db).deleteFrom('music_play').where('time', '<=', before).execute();
    },
  };
}

type MarkTables = {
  music_mark: { account: number; item: string; starred: number | null; rating: number };
};

/** What a person has said of artists and albums. These are no rows of any table, so they go by the ids that players have them under. */
export function markStore({ db: ground }: Database) {
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
}
