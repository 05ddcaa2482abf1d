import type { Kysely, Transaction } from 'kysely';
import { splitIntoChunks, toFlag } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { NewSong, Song, SongTags } from '../../domain/song.ts';
import { selectRevision } from './revisionStore.ts';
import { IDS_PER_STATEMENT, SONG_COLUMNS, toRow, parseSongType, toSong, type SongRow } from './songRows.ts';
import { withMusicTables } from './tables.ts';

/** Rows per query. Pages let other requests run while a large library is read. */
const PAGE_ROWS = 1000;
/** With more changes, the whole library is sent. */
const MAX_CHANGES = 2000;

export interface OwnedSong extends Song {
  readonly account: number;
}

/** Fields that are compared with the folder. */
export type SongOnDisk = Pick<OwnedSong, 'id' | 'account' | 'type' | 'size' | 'crc' | 'isMissing'>;

/** A new file of a song. */
export interface SongFile {
  readonly size: number;
  readonly crc: number;
  /** Milliseconds since the epoch. */
  readonly written: number;
}

/** Identifies a song that is in the library already: the site's own id, otherwise the address. */
export interface SongOrigin {
  readonly source: string;
  readonly site: string;
  readonly siteId: string;
}

/** Selects songs that were not deleted. */
const selectExisting = (source: Kysely<unknown>, account: number) =>
  withMusicTables(source)
    .selectFrom('music_song')
    .select(SONG_COLUMNS)
    .where('account', '=', account)
    .where('gone', 'is', null);

const updateSong = (source: Kysely<unknown>, account: number, id: number) =>
  withMusicTables(source)
    .updateTable('music_song')
    .set({ revision: selectRevision(source, account) })
    .where('account', '=', account)
    .where('id', '=', id);

const yieldToEventLoop = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function getNextPlace(tx: Transaction<unknown>, account: number): Promise<number> {
  const { last } = await withMusicTables(tx)
    .selectFrom('music_song')
    .select((eb) => eb.fn.max<number | null>('place').as('last'))
    .where('account', '=', account)
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}

/** Creates the database access for songs. */
export function createSongStore({ db }: Database) {
  async function findByIds(
    account: number,
    ids: readonly number[],
    source: Kysely<unknown> = db,
  ): Promise<ReadonlyMap<number, Song>> {
    const songsById = new Map<number, Song>();
    for (const chunk of splitIntoChunks([...new Set(ids)], IDS_PER_STATEMENT)) {
      const rows = await selectExisting(source, account).where('id', 'in', chunk).execute();
      for (const row of rows) songsById.set(row.id, toSong(row));
    }
    return songsById;
  }

  function readPage(account: number, after: number): Promise<readonly SongRow[]> {
    const rows = selectExisting(db, account).where('place', '>', after).orderBy('place').limit(PAGE_ROWS).execute();
    // The error is not unhandled if the caller stops before this page.
    rows.catch(() => undefined);
    return rows;
  }

  /**
   * Yields the songs of an account after a place in pages, oldest first. Other requests can run between the pages.
   * The next page is read while the current one is processed.
   */
  async function* iteratePages(account: number, after = 0): AsyncGenerator<readonly Song[]> {
    for (let nextPage = readPage(account, after); ;) {
      const rows = await nextPage;
      const last = rows.length < PAGE_ROWS ? undefined : rows.at(-1);
      if (last) nextPage = readPage(account, last.place);
      if (rows.length > 0) yield rows.map(toSong);
      if (!last) return;
      await yieldToEventLoop();
    }
  }

  return {
    iteratePages,
    /** Lists all songs of an account, oldest first. */
    list: async (account: number): Promise<readonly Song[]> => {
      const all: Song[] = [];
      for await (const page of iteratePages(account)) all.push(...page);
      return all;
    },
    /** Lists the songs after a place up to and including another, oldest first. */
    listBetween: async (account: number, after: number, until: number): Promise<readonly Song[]> => {
      const query = selectExisting(db, account).where('place', '>', after).where('place', '<=', until);
      return (await query.orderBy('place').execute()).map(toSong);
    },
    /**
     * Lists the places of songs that were changed or deleted after a revision; undefined if there are too many.
     * Deleted songs are included while they can be restored.
     */
    listChangedPlaces: async (account: number, revision: number): Promise<readonly number[] | undefined> => {
      const rows = await withMusicTables(db)
        .selectFrom('music_song')
        .select('place')
        .where('account', '=', account)
        .where('revision', '>', revision)
        .limit(MAX_CHANGES + 1)
        .execute();
      return rows.length > MAX_CHANGES ? undefined : rows.map(({ place }) => place);
    },
    /**
     * Lists the songs that were changed or deleted after a revision; undefined if there are too many.
     * Deleted songs are included while they can be restored.
     */
    listSince: async (
      account: number,
      revision: number,
    ): Promise<{ readonly changed: readonly Song[]; readonly gone: readonly number[] } | undefined> => {
      const rows = await withMusicTables(db)
        .selectFrom('music_song')
        .select([...SONG_COLUMNS, 'gone'])
        .where('account', '=', account)
        .where('revision', '>', revision)
        .limit(MAX_CHANGES + 1)
        .execute();
      if (rows.length > MAX_CHANGES) return undefined;
      return {
        changed: rows.filter(({ gone }) => gone === null).map(toSong),
        gone: rows.filter(({ gone }) => gone !== null).map(({ id }) => id),
      };
    },
    find: async (account: number, id: number, source: Kysely<unknown> = db): Promise<Song | undefined> => {
      const row = await selectExisting(source, account).where('id', '=', id).executeTakeFirst();
      return row && toSong(row);
    },
    /** Returns the songs of the account among these ids, by id. */
    findByIds,
    /** Returns a song of any account, for signed addresses. */
    findWithAccount: async (id: number): Promise<OwnedSong | undefined> => {
      const row = await withMusicTables(db)
        .selectFrom('music_song')
        .select([...SONG_COLUMNS, 'account'])
        .where('id', '=', id)
        .where('gone', 'is', null)
        .executeTakeFirst();
      return row && { ...toSong(row), account: row.account };
    },
    /** Finds the song that was downloaded from this origin. */
    findByOrigin: async (
      account: number,
      { source, site, siteId }: SongOrigin,
      connection: Kysely<unknown> = db,
    ): Promise<Song | undefined> => {
      const query = selectExisting(connection, account).where('is_missing', '=', 0).orderBy('place');
      if (site !== '' && siteId !== '') {
        const row = await query.where('site', '=', site).where('site_id', '=', siteId).executeTakeFirst();
        if (row) return toSong(row);
      }
      if (source === '') return undefined;
      const row = await query.where('source', '=', source).executeTakeFirst();
      return row && toSong(row);
    },
    /** Counts songs and the bytes of their files, deleted ones separately. Missing files take no space. */
    countUsedSpace: async (
      account: number,
      source: Kysely<unknown> = db,
    ): Promise<{ readonly songs: number; readonly bytes: number; readonly deleted: number }> => {
      const { songs, bytes, deleted } = await withMusicTables(source)
        .selectFrom('music_song')
        .select(({ fn }) => {
          const files = fn.sum<number | null>('size').filterWhere('is_missing', '=', 0);
          return [
            fn.countAll<number>().filterWhere('gone', 'is', null).as('songs'),
            files.filterWhere('gone', 'is', null).as('bytes'),
            files.filterWhere('gone', 'is not', null).as('deleted'),
          ];
        })
        .where('account', '=', account)
        .executeTakeFirstOrThrow();
      return { songs, bytes: bytes ?? 0, deleted: deleted ?? 0 };
    },
    /** Sums up the bytes of all files by account, deleted ones included. */
    sumBytesByAccount: async (): Promise<ReadonlyMap<number, number>> => {
      const rows = await withMusicTables(db)
        .selectFrom('music_song')
        .select(({ fn }) => ['account', fn.sum<number | string>('size').as('bytes')])
        .where('is_missing', '=', 0)
        .groupBy('account')
        .execute();
      return new Map(rows.map(({ account, bytes }) => [account, Number(bytes)]));
    },
    /** Appends a song. `revisions.increment` must precede it in the transaction. */
    insert: async (tx: Transaction<unknown>, account: number, newSong: NewSong): Promise<Song> => {
      const song: Song = {
        ...newSong,
        place: await getNextPlace(tx, account),
        plays: 0,
        played: undefined,
        starred: undefined,
        rating: 0,
        isMissing: false,
      };
      await withMusicTables(tx)
        .insertInto('music_song')
        .values({ account, ...toRow(song), tags_due: 0, gone: null, revision: selectRevision(tx, account) })
        .execute();
      return song;
    },
    /** Appends songs of an import, in their order. `revisions.increment` must precede it in the transaction. */
    insertAll: async (
      tx: Transaction<unknown>,
      account: number,
      importedSongs: readonly Omit<Song, 'place'>[],
    ): Promise<readonly Song[]> => {
      const firstPlace = await getNextPlace(tx, account);
      const songs = importedSongs.map((song, index): Song => ({ ...song, place: firstPlace + index }));
      for (const song of songs)
        await withMusicTables(tx)
          .insertInto('music_song')
          .values({ account, ...toRow(song), tags_due: 0, gone: null, revision: selectRevision(tx, account) })
          .execute();
      return songs;
    },
    /** Replaces the missing file of a song. `tagger.retag` must write its tags into the file. */
    replaceFile: async (
      tx: Transaction<unknown>,
      account: number,
      { id, type, size, crc, written, duration, gain, peak, colour, hasPicture }: NewSong,
    ): Promise<void> => {
      await updateSong(tx, account, id)
        .set({ type, size, crc, written, duration, gain, peak, colour })
        // The tags in the library can differ from those of the page that it came from.
        .set({ has_picture: toFlag(hasPicture), is_missing: 0, tags_due: 1 })
        .execute();
    },
    /** Changes the tags. The file has the old ones until `markRetagged`. */
    rename: async (tx: Transaction<unknown>, account: number, id: number, tags: SongTags): Promise<void> => {
      await updateSong(tx, account, id)
        .set({ ...tags, tags_due: 1 })
        .execute();
    },
    /** Lists the songs of all accounts whose files don't have their tags yet. */
    listUntagged: async (): Promise<readonly OwnedSong[]> => {
      const rows = await withMusicTables(db)
        .selectFrom('music_song')
        .select([...SONG_COLUMNS, 'account'])
        .where('tags_due', '=', 1)
        .where('is_missing', '=', 0)
        .where('gone', 'is', null)
        .execute();
      return rows.map((row) => ({ ...toSong(row), account: row.account }));
    },
    /** @returns whether the tags were still current. If not, nothing is changed, and the file must be written again. */
    markRetagged: async (
      tx: Transaction<unknown>,
      account: number,
      { id, title, artist, album }: Pick<Song, 'id'> & SongTags,
      { size, crc, written }: SongFile,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await updateSong(tx, account, id)
        .where('title', '=', title)
        .where('artist', '=', artist)
        .where('album', '=', album)
        .set({ size, crc, written, tags_due: 0 })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Marks a song as deleted. `time` is in milliseconds since the epoch. @returns whether it existed. */
    remove: async (tx: Transaction<unknown>, account: number, id: number, time: number): Promise<boolean> => {
      const { numUpdatedRows } = await updateSong(tx, account, id)
        .where('gone', 'is', null)
        .set({ gone: time })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Restores a song that was deleted after that time. @returns whether there was one. */
    restore: async (tx: Transaction<unknown>, account: number, id: number, after: number): Promise<boolean> => {
      const { numUpdatedRows } = await updateSong(tx, account, id)
        .where('gone', '>', after)
        .set({ gone: null })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Returns which of these ids were deleted and can still be restored. */
    findDeleted: async (
      account: number,
      ids: readonly number[],
      source: Kysely<unknown> = db,
    ): Promise<Set<number>> => {
      const deletedIds = new Set<number>();
      for (const chunk of splitIntoChunks([...new Set(ids)], IDS_PER_STATEMENT)) {
        const rows = await withMusicTables(source)
          .selectFrom('music_song')
          .select('id')
          .where('account', '=', account)
          .where('id', 'in', chunk)
          .where('gone', 'is not', null)
          .execute();
        for (const { id } of rows) deletedIds.add(id);
      }
      return deletedIds;
    },
    /** @param time when it was starred; undefined to remove the star. @returns whether the song exists. */
    star: async (source: Kysely<unknown>, account: number, id: number, time: number | undefined): Promise<boolean> => {
      const { numUpdatedRows } = await updateSong(source, account, id)
        .where('gone', 'is', null)
        .set({ starred: time ?? null })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** @param rating 1 to 5; 0 for none. @returns whether the song exists. */
    rate: async (source: Kysely<unknown>, account: number, id: number, rating: number): Promise<boolean> => {
      const { numUpdatedRows } = await updateSong(source, account, id)
        .where('gone', 'is', null)
        .set({ rating })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** @param time when it was played. @returns the number of plays; undefined if the song doesn't exist. */
    countPlay: async (
      tx: Transaction<unknown>,
      account: number,
      id: number,
      time: number,
    ): Promise<number | undefined> => {
      const row = await updateSong(tx, account, id)
        .where('gone', 'is', null)
        .set((eb) => ({
          plays: eb('plays', '+', 1),
          // A report that arrives late must not replace a later play.
          played: eb.case().when('played', '>', time).then(eb.ref('played')).else(time).end(),
        }))
        .returning('plays')
        .executeTakeFirst();
      return row?.plays;
    },
    /** Sets whether the files of these songs are missing. */
    setMissing: async (
      tx: Transaction<unknown>,
      account: number,
      ids: readonly number[],
      isMissing: boolean,
    ): Promise<void> => {
      for (const chunk of splitIntoChunks(ids, IDS_PER_STATEMENT))
        await withMusicTables(tx)
          .updateTable('music_song')
          .set({ is_missing: toFlag(isMissing), revision: selectRevision(tx, account) })
          .where('account', '=', account)
          .where('id', 'in', chunk)
          .execute();
    },
    /** Lists the expected files of all accounts by id, including those of deleted songs, which can be restored. */
    listFiles: async (after: number): Promise<readonly SongOnDisk[]> => {
      const rows = await withMusicTables(db)
        .selectFrom('music_song')
        .select(['id', 'account', 'type', 'size', 'crc', 'is_missing'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE_ROWS)
        .execute();
      return rows.map(({ id, account, type, size, crc, is_missing }) => ({
        id,
        account,
        type: parseSongType(type),
        size,
        crc,
        isMissing: is_missing === 1,
      }));
    },
    /** Removes songs that were deleted before that time. @returns the ids whose files must be removed. */
    purge: async (before: number): Promise<readonly number[]> => {
      const rows = await withMusicTables(db)
        .deleteFrom('music_song')
        .where('gone', '<=', before)
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Lists the ids of all songs of an account, including deleted ones. */
    listIds: async (account: number): Promise<readonly number[]> => {
      const rows = await withMusicTables(db)
        .selectFrom('music_song')
        .select('id')
        .where('account', '=', account)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

/** Finds songs with missing files by their origin, so that a new download can replace the file. */
export function createLostSongStore({ db }: Database) {
  return {
    findByOrigin: async (account: number, { source, site, siteId }: SongOrigin): Promise<Song | undefined> => {
      const hasSiteId = site !== '' && siteId !== '';
      if (!hasSiteId && source === '') return undefined;
      const row = await selectExisting(db, account)
        .where('is_missing', '=', 1)
        .where((eb) =>
          eb.or([
            ...(hasSiteId ? [eb.and({ site, site_id: siteId })] : []),
            ...(source === '' ? [] : [eb('source', '=', source)]),
          ]),
        )
        .orderBy('place')
        .executeTakeFirst();
      return row && toSong(row);
    },
  };
}
