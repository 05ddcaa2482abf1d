import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { libraryChanged } from '../../contract.ts';
import { ALL_SONGS, ALL_TITLE, PLAYLISTS_LIMIT, SONGS_LIMIT, TITLE_LIMIT } from '../../contract/limits.ts';
import { eachOnce, rewritten, shownIn } from '../domain/playlist.ts';
import {
  type FreshSong,
  type Playlist,
  type Song,
  type SongWords,
  cutTitle,
  oneLine,
  titleProblem,
} from '../domain/song.ts';
import type { MusicStore } from './store/musicStores.ts';

/** A song that was deleted can be brought back for so long. */
export const DELETED_TTL_MS = 86_400_000;

const UNTITLED = 'Untitled';

/** In the same words for one that was deleted, is another account's, or never was. */
export function unknownSong(): Refusal {
  return new Refusal('There is no such song: it was deleted, or never was here');
}
export function unknownSongs(): Refusal {
  return new Refusal('One of these songs is not in your library: it was deleted, or never was there');
}
export function unknownPlaylist(): Refusal {
  return new Refusal('There is no such playlist: it was deleted, or never was here');
}

/** The playlist that a request names: none where it is left out, null or empty. @throws Refusal */
export function playlistIn(asked: number | string | null | undefined): number | undefined {
  if (asked === undefined || asked === null || asked === '') return undefined;
  const id = Number(asked);
  if (!Number.isSafeInteger(id)) throw unknownPlaylist();
  return id;
}

/** @throws Refusal */
const titleIn = (written: string, of: 'playlist' | 'song'): string => {
  const title = oneLine(written);
  const problem = titleProblem(title, of, TITLE_LIMIT);
  if (problem !== undefined) throw new Refusal(problem);
  return title;
};

/** What is written beside a title, and may be empty. @throws Refusal */
const besideIn = (written: string): string => {
  const text = oneLine(written);
  return text === '' ? '' : titleIn(text, 'song');
};

/** A playlist as a page sends it. */
export interface PlaylistRequest {
  readonly title: string;
  /** In order. */
  readonly songs: readonly number[];
  /** What the page knew of. */
  readonly known?: readonly number[] | undefined;
}

/** That a song was played. */
export interface PlayReport {
  /** The same for the same playing. */
  readonly play: string;
  /** Milliseconds since the epoch; now where left out. */
  readonly when?: number;
}

/** What a library is, and all that can be done to it: for the pages' calls, for downloads, and for players. Each act is refused as a whole. */
export function createLibrary({ realtime, now }: Pick<ServerContext, 'realtime' | 'now'>, store: MusicStore) {
  const { book, songs, playlists, plays } = store;
  const time = (): number => now().epochMilliseconds;

  /** Stands first in every act: changes of a library run one after another, and its pages hear of each. */
  const begin = async ({ tx, afterCommit }: UnitOfWork, account: number): Promise<void> => {
    await book.raise(tx, account);
    afterCommit(() => realtime.send(`account:${account}`, libraryChanged, {}));
  };

  /** As it is shown. */
  const shown = async (work: UnitOfWork, account: number, list: Playlist): Promise<Playlist> => {
    const there = await songs.named(account, list.songs, work.tx);
    return { ...list, songs: shownIn(list.songs, (song) => there.has(song)) };
  };

  /** One to be changed. @throws Refusal */
  const own = async (work: UnitOfWork, account: number, id: number): Promise<Playlist> => {
    if (id === ALL_SONGS) throw new Refusal('All MP3s cannot be changed');
    const list = await playlists.one(account, id, work.tx);
    if (!list) throw unknownPlaylist();
    return list;
  };

  /** Which of these songs were deleted and may come back. @throws Refusal where one is neither there nor that. */
  const deletedAmong = async (
    work: UnitOfWork,
    account: number,
    ids: readonly number[],
  ): Promise<ReadonlySet<number>> => {
    const there = await songs.named(account, ids, work.tx);
    const others = ids.filter((id) => !there.has(id));
    const deleted = await songs.deleted(account, others, work.tx);
    if (others.some((id) => !deleted.has(id))) throw unknownSongs();
    return deleted;
  };

  return {
    begin,

    /** By when they were made. */
    playlists: async (account: number, isThere: (song: number) => boolean): Promise<readonly Playlist[]> =>
      (await playlists.all(account)).map((list) => ({ ...list, songs: shownIn(list.songs, isThere) })),

    /** Those that changed behind that revision, as they are shown, and the ids of all. */
    playlistsSince: async (
      account: number,
      revision: number,
    ): Promise<{ readonly changed: readonly Playlist[]; readonly all: readonly number[] }> => {
      const { changed, all } = await playlists.since(account, revision);
      const there = await songs.named(
        account,
        changed.flatMap((list) => list.songs),
      );
      const isThere = (song: number): boolean => there.has(song);
      return { changed: changed.map((list) => ({ ...list, songs: shownIn(list.songs, isThere) })), all };
    },

    /** With its songs, in order. All MP3s too. @throws Refusal */
    playlist: async (
      account: number,
      id: number,
    ): Promise<{ readonly title: string; readonly songs: readonly Song[] }> => {
      if (id === ALL_SONGS) return { title: ALL_TITLE, songs: await songs.all(account) };
      const list = await playlists.one(account, id);
      if (!list) throw unknownPlaylist();
      const there = await songs.named(account, list.songs);
      return { title: list.title, songs: list.songs.flatMap((song) => there.get(song) ?? []) };
    },

    /** In the order asked for. @throws Refusal where one is not there. */
    songs: async (account: number, ids: readonly number[]): Promise<readonly Song[]> => {
      const there = await songs.named(account, ids);
      return eachOnce(ids).map((id) => {
        const song = there.get(id);
        if (!song) throw unknownSongs();
        return song;
      });
    },

    /** A new song. @throws Refusal */
    addSong: async (work: UnitOfWork, account: number, fresh: FreshSong): Promise<Song> => {
      await begin(work, account);
      const { songs: count } = await songs.used(account, work.tx);
      if (count >= SONGS_LIMIT) throw new Refusal(`The library is full at ${SONGS_LIMIT} songs: delete some first`);
      return songs.add(work.tx, account, {
        ...fresh,
        title: cutTitle(fresh.title, TITLE_LIMIT) || UNTITLED,
        artist: cutTitle(fresh.artist, TITLE_LIMIT),
        album: cutTitle(fresh.album, TITLE_LIMIT),
      });
    },

    /** @throws Refusal */
    makePlaylist: async (work: UnitOfWork, account: number, wish: PlaylistRequest): Promise<Playlist> => {
      await begin(work, account);
      if ((await playlists.count(work.tx, account)) >= PLAYLISTS_LIMIT)
        throw new Refusal(`You have ${PLAYLISTS_LIMIT} playlists already: delete one first`);
      const deleted = await deletedAmong(work, account, wish.songs);
      const list = {
        title: titleIn(wish.title, 'playlist'),
        songs: wish.songs.filter((id) => !deleted.has(id)),
        created: time(),
        changed: time(),
      };
      return { ...list, id: await playlists.make(work.tx, account, list) };
    },

    /** @throws Refusal */
    changePlaylist: async (work: UnitOfWork, account: number, id: number, wish: PlaylistRequest): Promise<Playlist> => {
      await begin(work, account);
      const list = await own(work, account, id);
      await deletedAmong(work, account, wish.songs);
      const songsNow = rewritten({
        kept: list.songs,
        wanted: wish.songs,
        known: wish.known,
        deleted: await songs.deleted(account, list.songs, work.tx),
      });
      const changed = { ...list, title: titleIn(wish.title, 'playlist'), songs: songsNow, changed: time() };
      await playlists.change(work.tx, account, changed);
      return shown(work, account, changed);
    },

    /** Its songs stay. @throws Refusal */
    removePlaylist: async (work: UnitOfWork, account: number, id: number): Promise<void> => {
      await begin(work, account);
      await own(work, account, id);
      await playlists.remove(work.tx, account, id);
    },

    /** What is left out stays; the file follows (`files/tagger.ts`). @throws Refusal */
    renameSong: async (
      work: UnitOfWork,
      account: number,
      id: number,
      words: Pick<SongWords, 'title'> & { readonly [Name in 'artist' | 'album']?: string | undefined },
    ): Promise<Song> => {
      await begin(work, account);
      const song = await songs.one(account, id, work.tx);
      if (!song) throw unknownSong();
      const wanted = {
        title: titleIn(words.title, 'song'),
        artist: besideIn(words.artist ?? song.artist),
        album: besideIn(words.album ?? song.album),
      };
      await songs.rename(work.tx, account, id, wanted);
      return { ...song, ...wanted };
    },

    /** Out of every playlist; its file goes a day later. @throws Refusal */
    deleteSong: async (work: UnitOfWork, account: number, id: number): Promise<void> => {
      await begin(work, account);
      if (!(await songs.remove(work.tx, account, id, time()))) throw unknownSong();
    },

    /** Where it was, in its playlists too. @throws Refusal */
    restoreSong: async (work: UnitOfWork, account: number, id: number): Promise<Song> => {
      await begin(work, account);
      await songs.bringBack(work.tx, account, id, time() - DELETED_TTL_MS);
      const song = await songs.one(account, id, work.tx);
      if (!song) throw unknownSong();
      // Pages took it out of these.
      for (const list of await playlists.all(account, work.tx))
        if (list.songs.includes(id)) await playlists.change(work.tx, account, list);
      return song;
    },

    /** @throws Refusal */
    starSong: async (work: UnitOfWork, account: number, id: number, isStarred: boolean): Promise<void> => {
      await begin(work, account);
      if (!(await songs.star(work.tx, account, id, isStarred ? time() : undefined))) throw unknownSong();
    },

    /** @param rating 1 to 5; 0 takes it away. @throws Refusal */
    rateSong: async (work: UnitOfWork, account: number, id: number, rating: number): Promise<void> => {
      await begin(work, account);
      if (!(await songs.rate(work.tx, account, id, rating))) throw unknownSong();
    },

    /** Counts a playing once, however often it is told. @returns how often the song was played. @throws Refusal */
    countPlay: async (
      work: UnitOfWork,
      account: number,
      id: number,
      { play, when = time() }: PlayReport,
    ): Promise<number> => {
      await begin(work, account);
      const song = await songs.one(account, id, work.tx);
      if (!song) throw unknownSong();
      if (!(await plays.take(work.tx, account, play, time()))) return song.plays;
      return (await songs.countPlay(work.tx, account, id, Math.min(when, time()))) ?? song.plays;
    },
  };
}

export type Library = ReturnType<typeof createLibrary>;
