import { DAY_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { libraryChanged } from '../../contract.ts';
import { ALL_SONGS, ALL_TITLE, PLAYLISTS_LIMIT, SONGS_LIMIT, TITLE_LIMIT } from '../../contract/limits.ts';
import { eachOnce, mergePlaylist, listVisibleSongs } from '../domain/playlist.ts';
import {
  type NewSongRow,
  type Playlist,
  type Song,
  type SongWords,
  cutTitle,
  oneLine,
  titleProblem,
} from '../domain/song.ts';
import type { MusicStore } from './store/musicStores.ts';

/** How long a deleted song can be restored. */
export const DELETED_TTL_MS = DAY_MS;

const UNTITLED = 'Untitled';

/** The same message for songs that were deleted, belong to another account, or never existed. */
export function unknownSong(): Refusal {
  return new Refusal('music.song_not_found', 'There is no such song. It may have been deleted');
}
export function unknownSongs(): Refusal {
  return new Refusal('music.song_not_found', 'One of these songs is not in your library. It may have been deleted');
}
export function unknownPlaylist(): Refusal {
  return new Refusal('music.playlist_not_found', 'There is no such playlist. It may have been deleted');
}

/** Parses the playlist of a request; undefined if it is missing, null or empty. @throws Refusal */
export function playlistIn(requested: number | string | null | undefined): number | undefined {
  if (requested === undefined || requested === null || requested === '') return undefined;
  const id = Number(requested);
  if (!Number.isSafeInteger(id)) throw unknownPlaylist();
  return id;
}

/** Normalizes and validates a title. @throws Refusal */
const parseTitle = (input: string, of: 'playlist' | 'song'): string => {
  const title = oneLine(input);
  const problem = titleProblem(title, of, TITLE_LIMIT);
  if (problem !== undefined) throw new Refusal('music.invalid_title', problem);
  return title;
};

/** Normalizes and validates a tag that can be empty. @throws Refusal */
const parseOptionalTag = (input: string): string => {
  const text = oneLine(input);
  return text === '' ? '' : parseTitle(text, 'song');
};

/** A playlist as a page sends it. */
export interface PlaylistRequest {
  readonly title: string;
  /** In order. */
  readonly songs: readonly number[];
  /** The songs that the page knew. */
  readonly known?: readonly number[] | undefined;
}

/** A report that a song was played. */
export interface PlayReport {
  /** Idempotency key of the play. */
  readonly play: string;
  /** Milliseconds since the epoch; defaults to now. */
  readonly when?: number;
}

/** The library and its actions, for the pages, downloads and players. An action that is refused changes nothing. */
export function createLibrary({ realtime, now }: Pick<ServerContext, 'realtime' | 'now'>, store: MusicStore) {
  const { book, songs, playlists, plays } = store;
  const nowMs = (): number => now().epochMilliseconds;

  /** Starts every change: serializes changes of a library, and notifies its pages after the commit. */
  const begin = async ({ tx, afterCommit }: UnitOfWork, account: number): Promise<void> => {
    await book.raise(tx, account);
    afterCommit(() => realtime.send(`account:${account}`, libraryChanged, {}));
  };

  /** Returns a playlist with its visible songs only. */
  const withVisibleSongs = async (work: UnitOfWork, account: number, list: Playlist): Promise<Playlist> => {
    const songsById = await songs.named(account, list.songs, work.tx);
    return { ...list, songs: listVisibleSongs(list.songs, (song) => songsById.has(song)) };
  };

  /** Returns a playlist that can be changed. @throws Refusal */
  const getChangeable = async (work: UnitOfWork, account: number, id: number): Promise<Playlist> => {
    if (id === ALL_SONGS) throw new Refusal('music.all_songs_read_only', "The playlist All MP3s can't be changed");
    const list = await playlists.find(account, id, work.tx);
    if (!list) throw unknownPlaylist();
    return list;
  };

  /** Returns which of these songs were deleted and can be restored. @throws Refusal if one doesn't exist at all. */
  const findDeleted = async (
    work: UnitOfWork,
    account: number,
    ids: readonly number[],
  ): Promise<ReadonlySet<number>> => {
    const songsById = await songs.named(account, ids, work.tx);
    const others = ids.filter((id) => !songsById.has(id));
    const deleted = await songs.findDeleted(account, others, work.tx);
    if (others.some((id) => !deleted.has(id))) throw unknownSongs();
    return deleted;
  };

  return {
    begin,

    /** Lists the playlists by creation time. */
    playlists: async (account: number, isThere: (song: number) => boolean): Promise<readonly Playlist[]> =>
      (await playlists.list(account)).map((list) => ({ ...list, songs: listVisibleSongs(list.songs, isThere) })),

    /** Lists the playlists that changed after a revision, and the ids of all. */
    playlistsSince: async (
      account: number,
      revision: number,
    ): Promise<{ readonly changed: readonly Playlist[]; readonly all: readonly number[] }> => {
      const { changed, all } = await playlists.listSince(account, revision);
      const songsById = await songs.named(
        account,
        changed.flatMap((list) => list.songs),
      );
      const isThere = (song: number): boolean => songsById.has(song);
      return { changed: changed.map((list) => ({ ...list, songs: listVisibleSongs(list.songs, isThere) })), all };
    },

    /** Returns a playlist with its songs in order, also All MP3s. @throws Refusal */
    playlist: async (
      account: number,
      id: number,
    ): Promise<{ readonly title: string; readonly songs: readonly Song[] }> => {
      if (id === ALL_SONGS) return { title: ALL_TITLE, songs: await songs.list(account) };
      const list = await playlists.find(account, id);
      if (!list) throw unknownPlaylist();
      const songsById = await songs.named(account, list.songs);
      return { title: list.title, songs: list.songs.flatMap((song) => songsById.get(song) ?? []) };
    },

    /** Returns songs in the order of the ids. @throws Refusal if one doesn't exist. */
    songs: async (account: number, ids: readonly number[]): Promise<readonly Song[]> => {
      const songsById = await songs.named(account, ids);
      return eachOnce(ids).map((id) => {
        const song = songsById.get(id);
        if (!song) throw unknownSongs();
        return song;
      });
    },

    /** Adds a new song. @throws Refusal */
    addSong: async (work: UnitOfWork, account: number, fresh: NewSongRow): Promise<Song> => {
      await begin(work, account);
      const { songs: count } = await songs.countUsedSpace(account, work.tx);
      if (count >= SONGS_LIMIT)
        throw new Refusal(
          'music.library_full',
          `Your library has the maximum of ${SONGS_LIMIT.toLocaleString('en')} songs. Delete some first`,
        );
      return songs.add(work.tx, account, {
        ...fresh,
        title: cutTitle(fresh.title, TITLE_LIMIT) || UNTITLED,
        artist: cutTitle(fresh.artist, TITLE_LIMIT),
        album: cutTitle(fresh.album, TITLE_LIMIT),
      });
    },

    /** @throws Refusal */
    createPlaylist: async (work: UnitOfWork, account: number, request: PlaylistRequest): Promise<Playlist> => {
      await begin(work, account);
      if ((await playlists.count(work.tx, account)) >= PLAYLISTS_LIMIT)
        throw new Refusal(
          'music.too_many_playlists',
          `You have the maximum of ${PLAYLISTS_LIMIT.toLocaleString('en')} playlists. Delete one first`,
        );
      const deleted = await findDeleted(work, account, request.songs);
      const list = {
        title: parseTitle(request.title, 'playlist'),
        songs: request.songs.filter((id) => !deleted.has(id)),
        created: nowMs(),
        changed: nowMs(),
      };
      return { ...list, id: await playlists.make(work.tx, account, list) };
    },

    /** @throws Refusal */
    changePlaylist: async (
      work: UnitOfWork,
      account: number,
      id: number,
      request: PlaylistRequest,
    ): Promise<Playlist> => {
      await begin(work, account);
      const list = await getChangeable(work, account, id);
      await findDeleted(work, account, request.songs);
      const songsNow = mergePlaylist({
        stored: list.songs,
        requested: request.songs,
        known: request.known,
        deleted: await songs.findDeleted(account, list.songs, work.tx),
      });
      const changed = { ...list, title: parseTitle(request.title, 'playlist'), songs: songsNow, changed: nowMs() };
      await playlists.change(work.tx, account, changed);
      return withVisibleSongs(work, account, changed);
    },

    /** Removes a playlist. Its songs stay. @throws Refusal */
    removePlaylist: async (work: UnitOfWork, account: number, id: number): Promise<void> => {
      await begin(work, account);
      await getChangeable(work, account, id);
      await playlists.remove(work.tx, account, id);
    },

    /** Changes the tags of a song; undefined ones stay. Its file follows later (`files/tagger.ts`). @throws Refusal */
    renameSong: async (
      work: UnitOfWork,
      account: number,
      id: number,
      words: Pick<SongWords, 'title'> & { readonly [Name in 'artist' | 'album']?: string | undefined },
    ): Promise<Song> => {
      await begin(work, account);
      const song = await songs.find(account, id, work.tx);
      if (!song) throw unknownSong();
      const newTags = {
        title: parseTitle(words.title, 'song'),
        artist: parseOptionalTag(words.artist ?? song.artist),
        album: parseOptionalTag(words.album ?? song.album),
      };
      await songs.rename(work.tx, account, id, newTags);
      return { ...song, ...newTags };
    },

    /** Deletes a song from the library and all playlists. Its file is removed a day later. @throws Refusal */
    deleteSong: async (work: UnitOfWork, account: number, id: number): Promise<void> => {
      await begin(work, account);
      if (!(await songs.remove(work.tx, account, id, nowMs()))) throw unknownSong();
    },

    /** Restores a deleted song, also in its playlists. @throws Refusal */
    restoreSong: async (work: UnitOfWork, account: number, id: number): Promise<Song> => {
      await begin(work, account);
      await songs.restore(work.tx, account, id, nowMs() - DELETED_TTL_MS);
      const song = await songs.find(account, id, work.tx);
      if (!song) throw unknownSong();
      // Raises the revision of its playlists, because pages have removed the song from them.
      for (const list of await playlists.list(account, work.tx))
        if (list.songs.includes(id)) await playlists.change(work.tx, account, list);
      return song;
    },

    /** @throws Refusal */
    starSong: async (work: UnitOfWork, account: number, id: number, isStarred: boolean): Promise<void> => {
      await begin(work, account);
      if (!(await songs.star(work.tx, account, id, isStarred ? nowMs() : undefined))) throw unknownSong();
    },

    /** @param rating 1 to 5; 0 for none. @throws Refusal */
    rateSong: async (work: UnitOfWork, account: number, id: number, rating: number): Promise<void> => {
      await begin(work, account);
      if (!(await songs.rate(work.tx, account, id, rating))) throw unknownSong();
    },

    /** Counts a play once per key. @returns the number of plays of the song. @throws Refusal */
    countPlay: async (
      work: UnitOfWork,
      account: number,
      id: number,
      { play, when = nowMs() }: PlayReport,
    ): Promise<number> => {
      await begin(work, account);
      const song = await songs.find(account, id, work.tx);
      if (!song) throw unknownSong();
      if (!(await plays.take(work.tx, account, play, nowMs()))) return song.plays;
      return (await songs.countPlay(work.tx, account, id, Math.min(when, nowMs()))) ?? song.plays;
    },
  };
}

export type Library = ReturnType<typeof createLibrary>;
