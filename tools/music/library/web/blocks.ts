import { foldSearch } from '#platform/contract/fold.ts';
import { ALL_SONGS } from '../../contract/limits.ts';
import type { Library, Playlist, Song } from '../../web/musicTypes.ts';
import { holds, membersOf, narrowed, wordsOf } from '../domain/libraryFilter.ts';
import { inOrder } from '../domain/playlist.ts';
import { NO_FILTERS, type Filters } from './viewState.ts';

/** A playlist as the page shows it, or the songs that a search has found. */
export interface Block {
  readonly key: string;
  /** What its songs are taken for: found ones are those of All MP3s. */
  readonly playlist: Playlist;
  /** In its heading. */
  readonly title: string;
  readonly isFound: boolean;
  readonly isExpanded: boolean;
  readonly filters: Filters;
  /** Those that are shown; none while it is collapsed. */
  readonly songs: readonly number[];
  /** Seconds, of all of its songs. */
  readonly duration: number;
}

export const FOUND = 'found';
const NO_SONGS: readonly number[] = [];

const folded = new WeakMap<Song, string>();
const textOf = (song: Song): string => {
  const known = folded.get(song);
  if (known !== undefined) return known;
  const text = foldSearch(`${song.title} ${song.artist} ${song.album}`);
  folded.set(song, text);
  return text;
};

interface BlockInput {
  readonly library: Library;
  readonly filters: Filters;
  readonly songs: readonly number[];
}
/** What was last worked out for a playlist: twenty thousand songs are not sorted anew because another playlist was opened. */
const shownLast = new WeakMap<Playlist, BlockInput>();

const songsOf = (library: Library, playlist: Playlist, filters: Filters): readonly number[] => {
  const last = shownLast.get(playlist);
  if (last?.library === library && last.filters === filters) return last.songs;
  const songOf = (id: number): Song | undefined => library.songs.get(id);
  const there = playlist.songs.filter((id) => library.songs.has(id));
  const lists = filters.playlists.flatMap((id) => {
    const chosen = library.playlistOf.get(id);
    return chosen ? [chosen.songs] : [];
  });
  const left = narrowed(there, { words: wordsOf(filters.name), members: membersOf(lists) }, (id) => {
    const song = songOf(id);
    return song ? textOf(song) : '';
  });
  const songs = inOrder(left, filters.order, (id) => songOf(id)?.order ?? 0);
  shownLast.set(playlist, { library, filters, songs });
  return songs;
};

const durations = new WeakMap<Playlist, number>();
const durationOf = (library: Library, playlist: Playlist): number => {
  const known = durations.get(playlist);
  if (known !== undefined) return known;
  const duration = playlist.songs.reduce((sum, id) => sum + (library.songs.get(id)?.duration ?? 0), 0);
  durations.set(playlist, duration);
  return duration;
};

interface Looks {
  readonly expanded: ReadonlySet<number>;
  readonly filters: ReadonlyMap<number, Filters>;
}

const blockOf = (library: Library, playlist: Playlist, { expanded, filters: all }: Looks): Block => {
  const filters = all.get(playlist.id) ?? NO_FILTERS;
  const isExpanded = expanded.has(playlist.id);
  return {
    key: String(playlist.id),
    playlist,
    title: playlist.title,
    isFound: false,
    isExpanded,
    filters,
    songs: isExpanded ? songsOf(library, playlist, filters) : NO_SONGS,
    duration: durationOf(library, playlist),
  };
};

/** All playlists; or, where something is sought, the songs and playlists that have it. */
export function blocksOf(library: Library, looks: Looks, search: string): readonly Block[] {
  const words = wordsOf(search);
  const all = library.playlistOf.get(ALL_SONGS);
  if (words.length === 0 || !all) return library.playlists.map((playlist) => blockOf(library, playlist, looks));
  const filters: Filters = { ...NO_FILTERS, name: search };
  const songs = narrowed(all.songs, { words, members: undefined }, (id) => {
    const song = library.songs.get(id);
    return song ? textOf(song) : '';
  });
  const found: Block = {
    key: FOUND,
    playlist: all,
    title: 'Songs found',
    isFound: true,
    isExpanded: true,
    filters,
    songs,
    duration: songs.reduce((sum, id) => sum + (library.songs.get(id)?.duration ?? 0), 0),
  };
  const playlists = library.playlists.filter(({ id, title }) => id !== ALL_SONGS && holds(foldSearch(title), words));
  return [found, ...playlists.map((playlist) => blockOf(library, playlist, looks))];
}
