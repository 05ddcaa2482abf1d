import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { Playlist } from '../../domain/song.ts';
import { selectRevision } from './revisionStore.ts';
import { withMusicTables } from './tables.ts';

const MAX_ID = 2 ** 31 - 1;
/** An id outside of the column's range, which one of the databases would reject with an error. */
const isOutOfRange = (id: number): boolean => id < 1 || id > MAX_ID;

const toPlaylist = ({ songs, ...row }: Omit<Playlist, 'songs'> & { readonly songs: string }): Playlist => ({
  ...row,
  // Written by this file only.
  songs: JSON.parse(songs) as readonly number[],
});

const selectPlaylists = (source: Kysely<unknown>, account: number) =>
  withMusicTables(source)
    .selectFrom('music_playlist')
    .select(['id', 'title', 'songs', 'created', 'changed'])
    .where('account', '=', account);

/** Creates the database access for playlists. Their songs include deleted and removed ones. */
export function createPlaylistStore({ db }: Database) {
  return {
    /** Lists playlists by creation. */
    list: async (account: number, source: Kysely<unknown> = db): Promise<readonly Playlist[]> =>
      (await selectPlaylists(source, account).orderBy('id').execute()).map(toPlaylist),
    /** Lists the playlists that changed after a revision, and the ids of all. */
    listSince: async (
      account: number,
      revision: number,
    ): Promise<{ readonly changedPlaylists: readonly Playlist[]; readonly allIds: readonly number[] }> => {
      const ids = await withMusicTables(db)
        .selectFrom('music_playlist')
        .select('id')
        .where('account', '=', account)
        .execute();
      const rows = await selectPlaylists(db, account).where('revision', '>', revision).orderBy('id').execute();
      return { changedPlaylists: rows.map(toPlaylist), allIds: ids.map(({ id }) => id) };
    },
    find: async (account: number, id: number, source: Kysely<unknown> = db): Promise<Playlist | undefined> => {
      if (isOutOfRange(id)) return undefined;
      const row = await selectPlaylists(source, account).where('id', '=', id).executeTakeFirst();
      return row && toPlaylist(row);
    },
    count: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const { lists } = await withMusicTables(tx)
        .selectFrom('music_playlist')
        .select(({ fn }) => fn.countAll<number>().as('lists'))
        .where('account', '=', account)
        .executeTakeFirstOrThrow();
      return lists;
    },
    insert: async (
      tx: Transaction<unknown>,
      account: number,
      { title, songs, created, changed }: Omit<Playlist, 'id'>,
    ): Promise<number> => {
      const { id } = await withMusicTables(tx)
        .insertInto('music_playlist')
        .values({
          account,
          title,
          songs: JSON.stringify(songs),
          created,
          changed,
          revision: selectRevision(tx, account),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    update: async (
      tx: Transaction<unknown>,
      account: number,
      { id, title, songs, changed }: Omit<Playlist, 'created'>,
    ): Promise<void> => {
      await withMusicTables(tx)
        .updateTable('music_playlist')
        .set({ title, songs: JSON.stringify(songs), changed, revision: selectRevision(tx, account) })
        .where('account', '=', account)
        .where('id', '=', id)
        .execute();
    },
    /** @returns whether it existed. */
    remove: async (tx: Transaction<unknown>, account: number, id: number): Promise<boolean> => {
      if (isOutOfRange(id)) return false;
      const { numDeletedRows } = await withMusicTables(tx)
        .deleteFrom('music_playlist')
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
