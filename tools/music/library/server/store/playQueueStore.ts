import type { Database } from '#platform/server/database/database.ts';

type PlayQueueTables = {
  music_play_queue: {
    account: number;
    songs: string;
    current: number | null;
    position: number;
    changed: number;
    player: string;
  };
};

/** The play queue that a player has saved. */
export interface PlayQueue {
  /** In order. */
  readonly songs: readonly number[];
  readonly current: number | undefined;
  /** Position in the current song, in milliseconds. */
  readonly position: number;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  /** Name of the player. */
  readonly player: string;
}

/** Creates the database access for play queues, one per account. */
export function createPlayQueueStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<PlayQueueTables>();
  return {
    find: async (account: number): Promise<PlayQueue | undefined> => {
      const row = await db
        .selectFrom('music_play_queue')
        .select(['songs', 'current', 'position', 'changed', 'player'])
        .where('account', '=', account)
        .executeTakeFirst();
      // Written by `save` only.
      return row && { ...row, songs: JSON.parse(row.songs) as readonly number[], current: row.current ?? undefined };
    },
    save: async (
      account: number,
      { songs, current = null, ...more }: Omit<PlayQueue, 'current'> & { readonly current: number | null | undefined },
    ): Promise<void> => {
      const row = { ...more, songs: JSON.stringify(songs), current };
      await db
        .insertInto('music_play_queue')
        .values({ account, ...row })
        .onConflict((conflict) => conflict.column('account').doUpdateSet(row))
        .execute();
    },
    remove: async (account: number): Promise<void> => {
      await db.deleteFrom('music_play_queue').where('account', '=', account).execute();
    },
  };
}
