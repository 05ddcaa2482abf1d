import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import {
  createplaylist,
  deleteplaylist,
  deletesong,
  modvideo,
  restoresong,
  starsong,
  modplaylist,
} from '#tools/music/contract.ts';
import type { Library, Playlist, Song, SongActions } from '#tools/music/web/musicTypes.ts';
import { songsText } from '#tools/music/web/texts.ts';
import { changeLibrary, libraryNow, refreshLibrary } from '#tools/music/web/useLibrary.ts';
import { placeOf, type Occurrence, canMove, movedBy, movedFrom, movedTo, withSongs } from '../../domain/playlist.ts';
import type { SongWords } from '../../domain/song.ts';

let region: HTMLElement | undefined;

/** Has a change read out that is seen without words, such as a song that stands elsewhere. */
export function announce(text: string): void {
  if (!region) {
    region = document.createElement('div');
    region.className = 'unseen';
    region.setAttribute('role', 'status');
    document.body.append(region);
  }
  region.textContent = text;
}

interface PlaylistWrite {
  /** The newest that has not been sent; undefined while there is none. */
  next: Playlist | undefined;
  /** All songs that were seen in it since the last one that was sent. */
  readonly known: Set<number>;
  sent: Promise<void>;
}

const writings = new Map<number, PlaylistWrite>();

const sendAll = async (id: number, writing: PlaylistWrite): Promise<void> => {
  try {
    while (writing.next) {
      const { title, songs } = writing.next;
      const known = [...writing.known];
      writing.next = undefined;
      writing.known.clear();
      await call(modplaylist, { id, playlistdata: { title, contains: [...songs], known } });
    }
  } finally {
    writings.delete(id);
  }
};

const send = (before: Playlist, after: Playlist): Promise<void> => {
  const { id } = after;
  const running = writings.get(id);
  const writing = running ?? { next: after, known: new Set(), sent: Promise.resolve() };
  writing.next = after;
  for (const song of [...before.songs, ...after.songs]) writing.known.add(song);
  if (running) return running.sent;
  writings.set(id, writing);
  writing.sent = sendAll(id, writing);
  return writing.sent;
};

/**
 * Gives a playlist another title, other songs or another order: shown at once. While one change is on its way the next ones wait and go as
 * one, so that a song moved quickly ends where it was put. Settles when all are there.
 * @throws Refusal, or CallFailed.
 */
export function writePlaylist(queries: QueryClient, before: Playlist, after: Playlist): Promise<void> {
  return changeLibrary(queries, { playlists: [after] }, () => send(before, after));
}

const playlistNow = (library: Library | undefined, { id }: Playlist): Playlist | undefined =>
  library?.playlistOf.get(id);

const without = (gone: ReadonlySet<number>) => (songs: readonly number[]) => songs.filter((song) => !gone.has(song));

/** What is done to songs and playlists: shown at once, sent, and taken back where the server refuses. */
export function libraryActs(queries: QueryClient) {
  const library = (): Library | undefined => libraryNow(queries);
  const songOf = (id: number): Song | undefined => library()?.songs.get(id);
  const titleOf = (id: number): string => songOf(id)?.title ?? 'The song';

  /** The playlist as it is now, with other songs. */
  const rewrite = async (
    playlist: Playlist,
    change: (songs: readonly number[]) => readonly number[],
  ): Promise<void> => {
    const now = playlistNow(library(), playlist);
    if (!now) return;
    const songs = change(now.songs);
    if (songs.length === now.songs.length && songs.every((song, at) => song === now.songs[at])) return;
    await writePlaylist(queries, now, { ...now, songs });
  };
  const rewriteSoon = (...asked: Parameters<typeof rewrite>): void => void rewrite(...asked).catch(showError);

  const create = async (title: string, songs: readonly number[]): Promise<number> => {
    const { playlistid } = await call(createplaylist, { title, contains: [...songs] });
    // What shows it may look for it at once.
    await refreshLibrary(queries);
    return playlistid;
  };

  const songs: SongActions = {
    canMove: (playlist, one, by) => canMove(playlist.songs, placeOf(playlist.songs, one), by),
    move: (playlist, one, by) => {
      const now = playlistNow(library(), playlist);
      const from = now ? placeOf(now.songs, one) : -1;
      if (!now || !canMove(now.songs, from, by)) return;
      announce(`${titleOf(one.song)}, place ${from + by + 1} of ${now.songs.length}`);
      rewriteSoon(now, (all) => movedBy(all, placeOf(all, one), by));
    },
    remove: (playlist, one) => {
      const { song } = one;
      const place = placeOf(playlist.songs, one);
      if (place === -1) return;
      const count = playlist.songs.filter((each) => each === song).length;
      rewriteSoon(playlist, (all) => {
        const at = placeOf(all, one);
        return at === -1 ? all : all.toSpliced(at, 1);
      });
      notices.addWithAction(`Removed “${titleOf(song)}” from ${playlist.title}`, 'Undo', () =>
        // Not once more where it has come back already.
        rewriteSoon(playlist, (all) =>
          all.filter((each) => each === song).length < count ? all.toSpliced(place, 0, song) : all,
        ),
      );
    },
    deleteSong: (song) => {
      const title = titleOf(song);
      const restore = async (): Promise<void> => {
        await call(restoresong, { id: song });
        await refreshLibrary(queries);
      };
      const remove = async (): Promise<void> => {
        await changeLibrary(queries, { withoutSong: song }, () => call(deletesong, { id: song }));
        notices.addWithAction(`Deleted “${title}”`, 'Undo', () => void restore().catch(showError));
      };
      void remove().catch(showError);
    },
    star: (id, starred) => {
      const song = songOf(id);
      if (!song) return;
      changeLibrary(queries, { songs: [{ ...song, starred }] }, () => call(starsong, { id, starred })).catch(showError);
    },
  };

  return {
    songs,
    /** A song of the playlist, or of another one, comes to this place, counted with it taken out. */
    put: (playlist: Playlist, one: Occurrence, place: number): void => {
      const { song } = one;
      const count = withSongs(playlist.songs, [song]).length;
      announce(`${titleOf(song)}, place ${place + 1} of ${count} in ${playlist.title}`);
      rewriteSoon(playlist, (all) => {
        const from = placeOf(all, one);
        return from === -1 ? movedTo(withSongs(all, [song]), song, place) : movedFrom(all, from, place);
      });
    },
    /** @throws Refusal, or CallFailed. Gives its id. */
    create,
    renamePlaylist: (playlist: Playlist, title: string): void =>
      void writePlaylist(queries, playlist, { ...playlist, title }).catch(showError),
    renameSong: (song: Song, words: SongWords): void => {
      if (words.title === song.title && words.artist === song.artist && words.album === song.album) return;
      changeLibrary(queries, { songs: [{ ...song, ...words }] }, () => call(modvideo, { id: song.id, ...words })).catch(
        showError,
      );
    },
    addSong: (playlist: Playlist, song: number): void => {
      announce(`Added ${titleOf(song)} to ${playlist.title}`);
      rewriteSoon(playlist, (all) => withSongs(all, [song]));
    },
    /** The same where it is not seen that it stands there. */
    putInto: (playlist: Playlist, song: number): void => {
      rewriteSoon(playlist, (all) => withSongs(all, [song]));
      notices.addWithAction(`Added “${titleOf(song)}” to ${playlist.title}`, 'Undo', () =>
        rewriteSoon(playlist, without(new Set([song]))),
      );
    },
    merge: (playlist: Playlist, from: Playlist): void => {
      const there = new Set(playlist.songs);
      const added = new Set(from.songs.filter((song) => !there.has(song)));
      rewriteSoon(playlist, (all) => withSongs(all, from.songs));
      notices.addWithAction(`Added ${songsText(added.size)} of ${from.title} to ${playlist.title}`, 'Undo', () =>
        rewriteSoon(playlist, without(added)),
      );
    },
    deletePlaylist: async (playlist: Playlist): Promise<void> => {
      try {
        await changeLibrary(queries, { withoutPlaylist: playlist.id }, () =>
          call(deleteplaylist, { playlistid: playlist.id }),
        );
        notices.addWithAction(
          `Deleted ${playlist.title}; its songs stay`,
          'Undo',
          () => void create(playlist.title, playlist.songs).catch(showError),
        );
      } catch (error) {
        showError(error);
      }
    },
  };
}

export type LibraryActions = ReturnType<typeof libraryActs>;

const known = new WeakMap<QueryClient, LibraryActions>();

/** The same ones as long as the page of the browser lives. */
export function actsOf(queries: QueryClient): LibraryActions {
  const acts = known.get(queries) ?? libraryActs(queries);
  known.set(queries, acts);
  return acts;
}

export function useLibraryActs(): LibraryActions {
  return actsOf(useQueryClient());
}

export function useSongActs(): SongActions {
  return useLibraryActs().songs;
}
