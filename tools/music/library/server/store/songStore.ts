import type { Kysely, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { FreshSong, Song, SongWords } from '../../domain/song.ts';
import { thisRevision } from './revisionStore.ts';
import { IDS_PER_STATEMENT, columns, toRow, songTypeIn, toSong, type SongRow } from './songRows.ts';
import type { MusicTables } from './tables.ts';

/** Rows of one page: read in pages, so that a large library holds nobody else up for long. */
const PAGE = 1000;
/** What is more than this is told with all the rest. */
const MAX_CHANGES = 2000;

/** A song, and whose it is. */
export interface OwnedSong extends Song {
  readonly account: number;
}

/** What the folder is held against. */
export type SongOnDisk = Pick<OwnedSong, 'id' | 'account' | 'type' | 'size' | 'crc' | 'isMissing'>;

/** A file as it is now. */
export interface SongFile {
  readonly size: number;
  readonly crc: number;
  /** Milliseconds since the epoch. */
  readonly written: number;
}

/** What tells a song that is there already: the site's own name for it, else the address. */
export interface SongOrigin {
  readonly source: string;
  readonly site: string;
  readonly siteId: string;
}

const inside = (source: Kysely<unknown>) => source.$extendTables<MusicTables>();

/** Songs that were not deleted. */
const there = (source: Kysely<unknown>, account: number) =>
  inside(source).selectFrom('music_song').select(columns).where('account', '=', account).where('gone', 'is', null);

const change = (source: Kysely<unknown>, account: number, id: number) =>
  inside(source)
    .updateTable('music_song')
    .set({ revision: thisRevision(source, account) })
    .where('account', '=', account)
    .where('id', '=', id);

const turn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const nextPlace = async (tx: Transaction<unknown>, account: number): Promise<number> => {
  const { last } = await inside(tx)
    .selectFrom('music_song')
    .select((is) => is.fn.max<number | null>('place').as('last'))
    .where('account', '=', account)
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
};

export function songStore({ db }: Database) {
  const named = async (
    account: number,
    ids: readonly number[],
    source: Kysely<unknown> = db,
  ): Promise<ReadonlyMap<number, Song>> => {
    const found = new Map<number, Song>();
    for (const chunk of splitIntoChunks([...new Set(ids)], IDS_PER_STATEMENT)) {
      const rows = await there(source, account).where('id', 'in', chunk).execute();
      for (const row of rows) found.set(row.id, toSong(row));
    }
    return found;
  };

  const readPage = (account: number, after: number): Promise<readonly SongRow[]> => {
    const reading = there(db, account).where('place', '>', after).orderBy('place').limit(PAGE).execute();
    reading.catch(() => undefined); // whoever wants no more pages does not hear of it
    return reading;
  };

  /**
   * The account's songs behind a place page by page, the oldest first. Between the pages others have their turn. The database reads a page
   * while the one before it is worked on.
   */
  async function* pages(account: number, behind = 0): AsyncGenerator<readonly Song[]> {
    for (let reading = readPage(account, behind); ;) {
      const rows = await reading;
      const last = rows.length < PAGE ? undefined : rows.at(-1);
      if (last) reading = readPage(account, last.place);
      if (rows.length > 0) yield rows.map(toSong);
      if (!last) return;
      await turn();
    }
  }

  return {
    pages,
    /** All of an account, the oldest first. */
    all: async (account: number): Promise<readonly Song[]> => {
      const all: Song[] = [];
      for await (const page of pages(account)) all.push(...page);
      return all;
    },
    /** Those behind a place, up to another; the oldest first. */
    between: async (account: number, after: number, until: number): Promise<readonly Song[]> => {
      const found = there(db, account).where('place', '>', after).where('place', '<=', until);
      return (await found.orderBy('place').execute()).map(toSong);
    },
    /** Where something changed behind that revision, or went; undefined where that is too much. A deleted one is known for as long as it can come back. */
    changedPlaces: async (account: number, revision: number): Promise<readonly number[] | undefined> => {
      const rows = await inside(db)
        .selectFrom('music_song')
        .select('place')
        .where('account', '=', account)
        .where('revision', '>', revision)
        .limit(MAX_CHANGES + 1)
        .execute();
      return rows.length > MAX_CHANGES ? undefined : rows.map(({ place }) => place);
    },
    /** What changed behind that revision, and what went; undefined where that is too much. A deleted one is known for as long as it can come back. */
    since: async (
      account: number,
      revision: number,
    ): Promise<{ readonly changed: readonly Song[]; readonly gone: readonly number[] } | undefined> => {
      const rows = await inside(db)
        .selectFrom('music_song')
        .select([...columns, 'gone'])
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
    one: async (account: number, id: number, source: Kysely<unknown> = db): Promise<Song | undefined> => {
      const row = await there(source, account).where('id', '=', id).executeTakeFirst();
      return row && toSong(row);
    },
    /** Those of these ids that the account has, by id. */
    named,
    /** Whoever's it is: for addresses that prove themselves by a signature. */
    ofAnyone: async (id: number): Promise<OwnedSong | undefined> => {
      const row = await inside(db)
        .selectFrom('music_song')
        .select([...columns, 'account'])
        .where('id', '=', id)
        .where('gone', 'is', null)
        .executeTakeFirst();
      return row && { ...toSong(row), account: row.account };
    },
    /** The song that is there already, if there is one. */
    from: async (
      account: number,
      { source, site, siteId }: SongOrigin,
      reading: Kysely<unknown> = db,
    ): Promise<Song | undefined> => {
      const found = there(reading, account).where('is_missing', '=', 0).orderBy('place');
      if (site !== '' && siteId !== '') {
        const row = await found.where('site', '=', site).where('site_id', '=', siteId).executeTakeFirst();
        if (row) return toSong(row);
      }
      if (source === '') return undefined;
      const row = await found.where('source', '=', source).executeTakeFirst();
      return row && toSong(row);
    },
    /** How many there are, and the bytes of their files; those of deleted ones apart. What is missing takes none. */
    used: async (
      account: number,
      source: Kysely<unknown> = db,
    ): Promise<{ readonly songs: number; readonly bytes: number; readonly deleted: number }> => {
      const { songs, bytes, deleted } = await inside(source)
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
    /** Puts a song behind all others. `book.raise` stands before it in the transaction. */
    add: async (tx: Transaction<unknown>, account: number, fresh: FreshSong): Promise<Song> => {
      const song: Song = {
        ...fresh,
        place: await nextPlace(tx, account),
        plays: 0,
        played: undefined,
        starred: undefined,
        rating: 0,
        isMissing: false,
      };
      await inside(tx)
        .insertInto('music_song')
        .values({ account, ...toRow(song), tags_due: 0, gone: null, revision: thisRevision(tx, account) })
        .execute();
      return song;
    },
    /** Another file for a song whose own was missing; `tagger.renamed` writes its words into it. */
    refill: async (
      tx: Transaction<unknown>,
      account: number,
      { id, type, size, crc, written, duration, gain, peak, colour, hasPicture }: FreshSong,
    ): Promise<void> => {
      await change(tx, account, id)
        .set({ type, size, crc, written, duration, gain, peak, colour })
        // Its words may be others than those of the page that it came from.
        .set({ has_picture: hasPicture ? 1 : 0, is_missing: 0, tags_due: 1 })
        .execute();
    },
    /** Its file has other words until `retagged`. */
    rename: async (tx: Transaction<unknown>, account: number, id: number, words: SongWords): Promise<void> => {
      await change(tx, account, id)
        .set({ ...words, tags_due: 1 })
        .execute();
    },
    /** Those whose words are not in their files yet, of all accounts. */
    untagged: async (): Promise<readonly OwnedSong[]> => {
      const rows = await inside(db)
        .selectFrom('music_song')
        .select([...columns, 'account'])
        .where('tags_due', '=', 1)
        .where('is_missing', '=', 0)
        .where('gone', 'is', null)
        .execute();
      return rows.map((row) => ({ ...toSong(row), account: row.account }));
    },
    /** @returns whether these are still its words: else its file has to be written once more, and nothing was changed. */
    retagged: async (
      tx: Transaction<unknown>,
      account: number,
      { id, title, artist, album }: Pick<Song, 'id'> & SongWords,
      { size, crc, written }: SongFile,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await change(tx, account, id)
        .where('title', '=', title)
        .where('artist', '=', artist)
        .where('album', '=', album)
        .set({ size, crc, written, tags_due: 0 })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** `time` in milliseconds since the epoch. @returns whether there was one. */
    remove: async (tx: Transaction<unknown>, account: number, id: number, time: number): Promise<boolean> => {
      const { numUpdatedRows } = await change(tx, account, id)
        .where('gone', 'is', null)
        .set({ gone: time })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** One that was deleted behind that time. @returns whether there was one. */
    bringBack: async (tx: Transaction<unknown>, account: number, id: number, after: number): Promise<boolean> => {
      const { numUpdatedRows } = await change(tx, account, id)
        .where('gone', '>', after)
        .set({ gone: null })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Those of these ids that were deleted and can still come back. */
    deleted: async (account: number, ids: readonly number[], source: Kysely<unknown> = db): Promise<Set<number>> => {
      const found = new Set<number>();
      for (const chunk of splitIntoChunks([...new Set(ids)], IDS_PER_STATEMENT)) {
        const rows = await inside(source)
          .selectFrom('music_song')
          .select('id')
          .where('account', '=', account)
          .where('id', 'in', chunk)
          .where('gone', 'is not', null)
          .execute();
        for (const { id } of rows) found.add(id);
      }
      return found;
    },
    /** @param time when it was marked; undefined takes the mark away. @returns whether there was one. */
    star: async (source: Kysely<unknown>, account: number, id: number, time: number | undefined): Promise<boolean> => {
      const { numUpdatedRows } = await change(source, account, id)
        .where('gone', 'is', null)
        .set({ starred: time ?? null })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** @param rating 1 to 5; 0 takes it away. @returns whether there was one. */
    rate: async (source: Kysely<unknown>, account: number, id: number, rating: number): Promise<boolean> => {
      const { numUpdatedRows } = await change(source, account, id)
        .where('gone', 'is', null)
        .set({ rating })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** @param time when it was played. @returns how often it was; undefined where there is none. */
    countPlay: async (
      tx: Transaction<unknown>,
      account: number,
      id: number,
      time: number,
    ): Promise<number | undefined> => {
      const row = await change(tx, account, id)
        .where('gone', 'is', null)
        .set((is) => ({
          plays: is('plays', '+', 1),
          // What is told late is not the last playing.
          played: is.case().when('played', '>', time).then(is.ref('played')).else(time).end(),
        }))
        .returning('plays')
        .executeTakeFirst();
      return row?.plays;
    },
    /** Whether their files are there. */
    setMissing: async (
      tx: Transaction<unknown>,
      account: number,
      ids: readonly number[],
      isMissing: boolean,
    ): Promise<void> => {
      for (const chunk of splitIntoChunks(ids, IDS_PER_STATEMENT))
        await inside(tx)
          .updateTable('music_song')
          .set({ is_missing: isMissing ? 1 : 0, revision: thisRevision(tx, account) })
          .where('account', '=', account)
          .where('id', 'in', chunk)
          .execute();
    },
    /** Files that there are to be, of all accounts, by id; deleted ones among them, since they can come back. */
    files: async (after: number): Promise<readonly SongOnDisk[]> => {
      const rows = await inside(db)
        .selectFrom('music_song')
        .select(['id', 'account', 'type', 'size', 'crc', 'is_missing'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE)
        .execute();
      return rows.map(({ id, account, type, size, crc, is_missing }) => ({
        id,
        account,
        type: songTypeIn(type),
        size,
        crc,
        isMissing: is_missing === 1,
      }));
    },
    /** Forgets what was deleted before that time. @returns those whose files are to go. */
    purge: async (before: number): Promise<readonly number[]> => {
      const rows = await inside(db).deleteFrom('music_song').where('gone', '<=', before).returning('id').execute();
      return rows.map(({ id }) => id);
    },
    /** Ids of all that an account has, the deleted ones too. */
    idsOf: async (account: number): Promise<readonly number[]> => {
      const rows = await inside(db).selectFrom('music_song').select('id').where('account', '=', account).execute();
      return rows.map(({ id }) => id);
    },
  };
}
