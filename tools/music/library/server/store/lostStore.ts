import type { Database } from '#platform/server/database/database.ts';
import type { Song } from '../../domain/song.ts';
import { columns, toSong } from './songRows.ts';
import type { SongOrigin } from './songStore.ts';
import type { MusicTables } from './tables.ts';

/** Finds songs with missing files by their origin, so that a new download can replace the file. */
export function lostStore({ db }: Database) {
  return {
    from: async (account: number, { source, site, siteId }: SongOrigin): Promise<Song | undefined> => {
      const hasName = site !== '' && siteId !== '';
      if (!hasName && source === '') return undefined;
      const lost = db
        .$extendTables<MusicTables>()
        .selectFrom('music_song')
        .select(columns)
        .where('account', '=', account)
        .where('gone', 'is', null)
        .where('is_missing', '=', 1)
        .orderBy('place');
      const row = await lost
        .where((is) =>
          is.or([
            ...(hasName ? [is.and({ site, site_id: siteId })] : []),
            ...(source === '' ? [] : [is('source', '=', source)]),
          ]),
        )
        .executeTakeFirst();
      return row && toSong(row);
    },
  };
}
