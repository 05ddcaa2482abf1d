import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { MusicTables } from './tables.ts';

const inside = (source: Kysely<unknown>) => source.$extendTables<MusicTables>();

/** Playings that were counted. */
export const playStore = ({ db }: Database) => {
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
};
