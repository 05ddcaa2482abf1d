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

/** What a player has in hand. */
export interface PlayQueue {
  /** In order. */
  readonly songs: readonly number[];
  readonly current: number | undefined;
  /** Milliseconds into the current one. */
  readonly position: number;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  /** As it calls itself. */
  readonly player: string;
}

/** One of each account. */
export function playQueueStore({ db: ground }: Database) {
  const db = ground.$extendTables<PlayQueueTables>();
  return {
    of: async (account: number): Promise<PlayQueue | undefined> => {
      const row = await db
        .selectFrom('music_play_queue')
        .select(['songs', 'current', 'position', 'changed', 'player'])
        .where('account', '=', account)
        .executeTakeFirst();
      // Written by `keep` alone.
      return row && { ...row, songs: JSON.parse(row.songs) as readonly number[], current: row.current ?? undefined };
    },
    keep: async (
      account: number,
      { songs, current = null, ...more }: Omit<PlayQueue, 'current'> & { readonly current: number | null | undefined },
    ): Promise<void> => {
      const row = { ...more, songs: JSON.stringify(songs), current };
      await db
        .insertInto('music_play_queue')
        .values({ account, ...row })
        .onConflict((already) => already.column('account').doUpdateSet(row))
        .execute();
    },
    remove: async (account: number): Promise<void> => {
      await db.deleteFrom('music_play_queue').where('account', '=', account).execute();
    },
  };
}
