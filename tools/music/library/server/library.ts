import { DAY_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { libraryChanged } from '../../contract.ts';
import { ALL_SONGS, ALL_SONGS_TITLE, MAX_PLAYLISTS, MAX_SONGS, MAX_TITLE_LENGTH } from '../../contract/limits.ts';
import { removeDuplicates, mergePlaylist } from '../domain/playlist.ts';
import {
  type NewSong,
  type Playlist,
  type Song,
  type SongTags,
  cutTitle,
  toOneLine,
  findTitleProblem,
} from '../domain/song.ts';
import type { MusicStore } from './store/musicStore.ts';

/** How long a deleted song can be restored. */
export const DELETED_TTL_MS = DAY_MS;

const UNTITLED = 'Untitled';

/** The same message for songs that were deleted, belong to another account, or never existed. */
export function createUnknownSongRefusal(): Refusal {
  return new Refusal('music.song_not_found', 'There is no such song. It may have been deleted');
}
export function createUnknownSongsRefusal(): Refusal {
  return new Refusal('music.song_not_found', 'One of these songs is not in your library. It may have been deleted');
}
export function createUnknownPlaylistRefusal(): Refusal {
  return new Refusal('music.playlist_not_found', 'There is no such playlist. It may have been deleted');
}

/** Parses the playlist of a request; undefined if it is missing, null or empty. @throws Refusal */
export function parsePlaylistId(requested: number | string | null | undefined): number | undefined {
  if (requested === undefined || requested === null || requested === '') return undefined;
  const id = Number(requested);
  if (!Number.isSafeInteger(id)) throw createUnknownPlaylistRefusal();
  return id;
}

/** Normalizes and validates a title. @throws Refusal */
function parseTitle(input: string, kind: 'playlist' | 'song'): string {
  const title = toOneLine(input);
  const problem = findTitleProblem(title, kind, MAX_TITLE_LENGTH);
  if (problem !== undefined) throw new Refusal('music.invalid_title', problem);
  return title;
}

/** Normalizes and validates a tag that can be empty. @throws Refusal */
function parseOptionalTag(input: string): string {
  const text = toOneLine(input);
  return text === '' ? '' : parseTitle(text, 'song');
}

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

/** Creates the library with its actions, for pages, downloads and players. A refused action changes nothing. */
export function createLibrary({ realtime, now }: Pick<ServerContext, 'realtime' | 'now'>, store: MusicStore) {
  const { revisions, songs, playlists, plays } = store;
  const nowMs = (): number => now().epochMilliseconds;

  /** Starts every change: serializes changes of a library, and notifies its pages after the commit. */
  async function startChange({ tx, afterCommit }: UnitOfWork, account: number): Promise<void> {
    await revisions.increment(tx, account);
    afterCommit(() => realtime.send(`account:${account}`, libraryChanged, {}));
  }

  /** Returns a playlist with its visible songs only. */
  async function withVisibleSongs(work: UnitOfWork, account: number, list: Playlist): Promise<Playlist> {
    const songsById = await songs.findByIds(account, list.songs, work.tx);
    return { ...list, songs: list.songs.filter((song) => songsById.has(song)) };
  }

  /** Returns a playlist that can be changed. @throws Refusal */
  async function getChangeable(work: UnitOfWork, account: number, id: number): Promise<Playlist> {
    if (id === ALL_SONGS) throw new Refusal('music.all_songs_read_only', "The playlist All MP3s can't be changed");
    const list = await playlists.find(account, id, work.tx);
    if (!list) throw createUnknownPlaylistRefusal();
    return list;
  }

  /** Returns which of these songs were deleted and can be restored. @throws Refusal if one doesn't exist at all. */
  async function findDeleted(work: UnitOfWork, account: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
    const songsById = await songs.findByIds(account, ids, work.tx);
    const missingIds = ids.filter((id) => !songsById.has(id));
    const deleted = await songs.findDeleted(account, missingIds, work.tx);
    if (missingIds.some((id) => !deleted.has(id))) throw createUnknownSongsRefusal();
    return deleted;
  }

  return {
    startChange,

    /** Lists the playlists by creation time. */
    listPlaylists: async (account: number, exists: (song: number) => boolean): Promise<readonly Playlist[]> =>
      (await playlists.list(account)).map((list) => ({ ...list, songs: list.songs.filter(exists) })),

    /** Lists the playlists that changed after a revision, and the ids of all. */
    listPlaylistsSince: async (
      account: number,
      revision: number,
    ): Promise<{ readonly changedPlaylists: readonly Playlist[]; readonly allIds: readonly number[] }> => {
      const { changedPlaylists, allIds } = await playlists.listSince(account, revision);
      const songsById = await songs.findByIds(
        account,
        changedPlaylists.flatMap((list) => list.songs),
      );
      const visiblePlaylists = changedPlaylists.map((list) => ({
        ...list,
        songs: list.songs.filter((song) => songsById.has(song)),
      }));
      return { changedPlaylists: visiblePlaylists, allIds };
    },

    /** Returns a playlist with its songs in order, also All MP3s. @throws Refusal */
    getPlaylist: async (
      account: number,
      id: number,
    ): Promise<{ readonly title: string; readonly songs: readonly Song[] }> => {
      if (id === ALL_SONGS) return { title: ALL_SONGS_TITLE, songs: await songs.list(account) };
      const list = await playlists.find(account, id);
      if (!list) throw createUnknownPlaylistRefusal();
      const songsById = await songs.findByIds(account, list.songs);
      return { title: list.title, songs: list.songs.flatMap((song) => songsById.get(song) ?? []) };
    },

    /** Returns songs in the order of the ids, each once. @throws Refusal if one doesn't exist. */
    getSongs: async (account: number, ids: readonly number[]): Promise<readonly Song[]> => {
      const songsById = await songs.findByIds(account, ids);
      return removeDuplicates(ids).map((id) => {
        const song = songsById.get(id);
        if (!song) throw createUnknownSongsRefusal();
        return song;
      });
    },

    /** Adds a new song. @throws Refusal */
    addSong: async (work: UnitOfWork, account: number, newSong: NewSong): Promise<Song> => {
      await startChange(work, account);
      const { songs: count } = await songs.countUsedSpace(account, work.tx);
      if (count >= MAX_SONGS)
        throw new Refusal(
          'music.library_full',
          `Your library has the maximum of ${MAX_SONGS.toLocaleString('en')} songs. Delete some first`,
        );
      return songs.insert(work.tx, account, {
        ...newSong,
        title: cutTitle(newSong.title, MAX_TITLE_LENGTH) || UNTITLED,
        artist: cutTitle(newSong.artist, MAX_TITLE_LENGTH),
        album: cutTitle(newSong.album, MAX_TITLE_LENGTH),
      });
    },

    /** @throws Refusal */
    createPlaylist: async (work: UnitOfWork, account: number, request: PlaylistRequest): Promise<Playlist> => {
      await startChange(work, account);
      if ((await playlists.count(work.tx, account)) >= MAX_PLAYLISTS)
        throw new Refusal(
          'music.too_many_playlists',
          `You have the maximum of ${MAX_PLAYLISTS.toLocaleString('en')} playlists. Delete one first`,
        );
      const deleted = await findDeleted(work, account, request.songs);
      const list = {
        title: parseTitle(request.title, 'playlist'),
        songs: request.songs.filter((id) => !deleted.has(id)),
        created: nowMs(),
        changed: nowMs(),
      };
      return { ...list, id: await playlists.insert(work.tx, account, list) };
    },

    /** @throws Refusal */
    changePlaylist: async (
      work: UnitOfWork,
      account: number,
      id: number,
      request: PlaylistRequest,
    ): Promise<Playlist> => {
      await startChange(work, account);
      const list = await getChangeable(work, account, id);
      await findDeleted(work, account, request.songs);
      const mergedSongs = mergePlaylist({
        stored: list.songs,
        requested: request.songs,
        known: request.known,
        deleted: await songs.findDeleted(account, list.songs, work.tx),
      });
      const changed = { ...list, title: parseTitle(request.title, 'playlist'), songs: mergedSongs, changed: nowMs() };
      await playlists.update(work.tx, account, changed);
      return withVisibleSongs(work, account, changed);
    },

    /** Removes a playlist. Its songs stay. @throws Refusal */
    removePlaylist: async (work: UnitOfWork, account: number, id: number): Promise<void> => {
      await startChange(work, account);
      await getChangeable(work, account, id);
      await playlists.remove(work.tx, account, id);
    },

    /** Changes the tags of a song; undefined ones stay. Its file follows later (`files/tagger.ts`). @throws Refusal */
    renameSong: async (
      work: UnitOfWork,
      account: number,
      id: number,
      tags: Pick<SongTags, 'title'> & { readonly [Name in 'artist' | 'album']?: string | undefined },
    ): Promise<Song> => {
      await startChange(work, account);
      const song = await songs.find(account, id, work.tx);
      if (!song) throw createUnknownSongRefusal();
      const newTags = {
        title: parseTitle(tags.title, 'song'),
        artist: parseOptionalTag(tags.artist ?? song.artist),
        album: parseOptionalTag(tags.album ?? song.album),
      };
      await songs.rename(work.tx, account, id, newTags);
      return { ...song, ...newTags };
    },

    /** Deletes a song from the library and all playlists. Its file is removed a day later. @throws Refusal */
    deleteSong: async (work: UnitOfWork, account: number, id: number): Promise<void> => {
      await startChange(work, account);
      if (!(await songs.remove(work.tx, account, id, nowMs()))) throw createUnknownSongRefusal();
    },

    /** Restores a deleted song, also in its playlists. @throws Refusal */
    restoreSong: async (work: UnitOfWork, account: number, id: number): Promise<Song> => {
      await startChange(work, account);
      await songs.restore(work.tx, account, id, nowMs() - DELETED_TTL_MS);
      const song = await songs.find(account, id, work.tx);
      if (!song) throw createUnknownSongRefusal();
      // Raises the revision of its playlists, because pages have removed the song from them.
      for (const list of await playlists.list(account, work.tx))
        if (list.songs.includes(id)) await playlists.update(work.tx, account, list);
      return song;
    },

    /** @throws Refusal */
    starSong: async (work: UnitOfWork, account: number, id: number, isStarred: boolean): Promise<void> => {
      await startChange(work, account);
      if (!(await songs.star(work.tx, account, id, isStarred ? nowMs() : undefined))) throw createUnknownSongRefusal();
    },

    /** @param rating 1 to 5; 0 for none. @throws Refusal */
    rateSong: async (work: UnitOfWork, account: number, id: number, rating: number): Promise<void> => {
      await startChange(work, account);
      if (!(await songs.rate(work.tx, account, id, rating))) throw createUnknownSongRefusal();
    },

    /** Counts a play once per key. @returns the number of plays of the song. @throws Refusal */
    countPlay: async (
      work: UnitOfWork,
      account: number,
      id: number,
      { play, when = nowMs() }: PlayReport,
    ): Promise<number> => {
      await startChange(work, account);
      const song = await songs.find(account, id, work.tx);
      if (!song) throw createUnknownSongRefusal();
      if (!(await plays.insert(work.tx, account, play, nowMs()))) return song.plays;
      return (await songs.countPlay(work.tx, account, id, Math.min(when, nowMs()))) ?? song.plays;
    },
  };
}

export type Library = ReturnType<typeof createLibrary>;
