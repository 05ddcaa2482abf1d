import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
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
import { formatSongCount } from '#tools/music/web/texts.ts';
import { changeLibrary, getCachedLibrary, refreshLibrary } from '#tools/music/web/useLibrary.ts';
import {
  findOccurrence,
  type Occurrence,
  canMove,
  moveByOne,
  moveFromIndex,
  moveMember,
  withSongs,
} from '../../domain/playlist.ts';
import type { SongTags } from '../../domain/song.ts';

let region: HTMLElement | undefined;

/** Announces a visible change, such as a new position, to screen readers. */
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
  /** The latest state that was not sent yet. */
  next: Playlist | undefined;
  /** All songs that were in it since the last request. */
  readonly known: Set<number>;
  whenSent: Promise<void>;
}

const writeById = new Map<number, PlaylistWrite>();

async function sendAll(id: number, write: PlaylistWrite): Promise<void> {
  try {
    while (write.next) {
      const { title, songs } = write.next;
      const known = [...write.known];
      write.next = undefined;
      write.known.clear();
      await call(modplaylist, { id, playlistdata: { title, contains: [...songs], known } });
    }
  } finally {
    writeById.delete(id);
  }
}

function send(before: Playlist, after: Playlist): Promise<void> {
  const { id } = after;
  const running = writeById.get(id);
  const write = running ?? { next: after, known: new Set(), whenSent: Promise.resolve() };
  write.next = after;
  for (const song of [...before.songs, ...after.songs]) write.known.add(song);
  if (running) return running.whenSent;
  writeById.set(id, write);
  write.whenSent = sendAll(id, write);
  return write.whenSent;
}

/**
 * Changes title, songs or order of a playlist optimistically. Changes during a request are sent together after it.
 * Resolves when everything was sent. @throws Refusal or CallError
 */
export function writePlaylist(queryClient: QueryClient, before: Playlist, after: Playlist): Promise<void> {
  return changeLibrary(queryClient, { playlists: [after] }, () => send(before, after));
}

const findCurrent = (library: Library | undefined, { id }: Playlist): Playlist | undefined =>
  library?.playlistById.get(id);

const createSongRemover = (removed: ReadonlySet<number>) => (songs: readonly number[]) =>
  songs.filter((song) => !removed.has(song));

/** Creates the actions on songs and playlists: shown optimistically, sent, and undone if the server refuses. */
export function createLibraryActions(queryClient: QueryClient) {
  const getLibrary = (): Library | undefined => getCachedLibrary(queryClient);
  const getSong = (id: number): Song | undefined => getLibrary()?.songs.get(id);
  const getTitle = (id: number): string => getSong(id)?.title ?? 'The song';

  /** Updates the songs of the current state of a playlist. */
  async function rewrite(playlist: Playlist, change: (songs: readonly number[]) => readonly number[]): Promise<void> {
    const current = findCurrent(getLibrary(), playlist);
    if (!current) return;
    const songs = change(current.songs);
    if (songs.length === current.songs.length && songs.every((song, at) => song === current.songs[at])) return;
    await writePlaylist(queryClient, current, { ...current, songs });
  }
  const rewriteInBackground = (...args: Parameters<typeof rewrite>): void => void rewrite(...args).catch(showError);

  async function create(title: string, songs: readonly number[]): Promise<number> {
    const { playlistid } = await call(createplaylist, { title, contains: [...songs] });
    // The caller may look for it immediately.
    await refreshLibrary(queryClient);
    return playlistid;
  }

  const songs: SongActions = {
    canMove: (playlist, occurrence, by) => canMove(playlist.songs, findOccurrence(playlist.songs, occurrence), by),
    move: (playlist, occurrence, by) => {
      const current = findCurrent(getLibrary(), playlist);
      const from = current ? findOccurrence(current.songs, occurrence) : -1;
      if (!current || !canMove(current.songs, from, by)) return;
      announce(`${getTitle(occurrence.song)}, position ${from + by + 1} of ${current.songs.length}`);
      rewriteInBackground(current, (all) => moveByOne(all, findOccurrence(all, occurrence), by));
    },
    remove: (playlist, occurrence) => {
      const { song } = occurrence;
      const place = findOccurrence(playlist.songs, occurrence);
      if (place === -1) return;
      const count = playlist.songs.filter((each) => each === song).length;
      rewriteInBackground(playlist, (all) => {
        const at = findOccurrence(all, occurrence);
        return at === -1 ? all : all.toSpliced(at, 1);
      });
      notices.addWithAction(`Removed “${getTitle(song)}” from ${playlist.title}`, 'Undo', () =>
        // Does nothing if the song was restored in another way.
        rewriteInBackground(playlist, (all) =>
          all.filter((each) => each === song).length < count ? all.toSpliced(place, 0, song) : all,
        ),
      );
    },
    deleteSong: (song) => {
      const title = getTitle(song);
      async function restore(): Promise<void> {
        await call(restoresong, { id: song });
        await refreshLibrary(queryClient);
      }
      async function remove(): Promise<void> {
        await changeLibrary(queryClient, { withoutSong: song }, () => call(deletesong, { id: song }));
        notices.addWithAction(`Deleted “${title}”`, 'Undo', () => void restore().catch(showError));
      }
      void remove().catch(showError);
    },
    star: (id, starred) => {
      const song = getSong(id);
      if (!song) return;
      changeLibrary(queryClient, { songs: [{ ...song, starred }] }, () => call(starsong, { id, starred })).catch(
        showError,
      );
    },
  };

  return {
    songs,
    /** Moves a song of this or another playlist to a place, counted without the song. */
    moveTo: (playlist: Playlist, occurrence: Occurrence, place: number): void => {
      const { song } = occurrence;
      const count = withSongs(playlist.songs, [song]).length;
      announce(`${getTitle(song)}, position ${place + 1} of ${count} in ${playlist.title}`);
      rewriteInBackground(playlist, (all) => {
        const from = findOccurrence(all, occurrence);
        return from === -1 ? moveMember(withSongs(all, [song]), song, place) : moveFromIndex(all, from, place);
      });
    },
    /** Returns the id. @throws Refusal or CallError */
    create,
    renamePlaylist: (playlist: Playlist, title: string): void =>
      void writePlaylist(queryClient, playlist, { ...playlist, title }).catch(showError),
    renameSong: (song: Song, tags: SongTags): void => {
      if (tags.title === song.title && tags.artist === song.artist && tags.album === song.album) return;
      changeLibrary(queryClient, { songs: [{ ...song, ...tags }] }, () =>
        call(modvideo, { id: song.id, ...tags }),
      ).catch(showError);
    },
    addSong: (playlist: Playlist, song: number): void => {
      announce(`Added ${getTitle(song)} to ${playlist.title}`);
      rewriteInBackground(playlist, (all) => withSongs(all, [song]));
    },
    /** Adds a song to a playlist that may not be visible, and shows a notice. */
    addWithNotice: (playlist: Playlist, song: number): void => {
      rewriteInBackground(playlist, (all) => withSongs(all, [song]));
      notices.addWithAction(`Added “${getTitle(song)}” to ${playlist.title}`, 'Undo', () =>
        rewriteInBackground(playlist, createSongRemover(new Set([song]))),
      );
    },
    merge: (playlist: Playlist, from: Playlist): void => {
      const existing = new Set(playlist.songs);
      const added = new Set(from.songs.filter((song) => !existing.has(song)));
      rewriteInBackground(playlist, (all) => withSongs(all, from.songs));
      notices.addWithAction(
        `Added ${formatSongCount(added.size)} from ${from.title} to ${playlist.title}`,
        'Undo',
        () => rewriteInBackground(playlist, createSongRemover(added)),
      );
    },
    deletePlaylist: async (playlist: Playlist): Promise<void> => {
      try {
        await changeLibrary(queryClient, { withoutPlaylist: playlist.id }, () =>
          call(deleteplaylist, { playlistid: playlist.id }),
        );
        notices.addWithAction(
          `Deleted ${playlist.title}. Its songs are still in your library`,
          'Undo',
          () => void create(playlist.title, playlist.songs).catch(showError),
        );
      } catch (error) {
        showError(error);
      }
    },
  };
}

export type LibraryActions = ReturnType<typeof createLibraryActions>;

const actionsByClient = new WeakMap<QueryClient, LibraryActions>();

/** Returns the actions of a query client, always the same object. */
export function getLibraryActions(queryClient: QueryClient): LibraryActions {
  const actions = actionsByClient.get(queryClient) ?? createLibraryActions(queryClient);
  actionsByClient.set(queryClient, actions);
  return actions;
}

export function useLibraryActions(): LibraryActions {
  return getLibraryActions(useQueryClient());
}

export function useSongActions(): SongActions {
  return useLibraryActions().songs;
}
