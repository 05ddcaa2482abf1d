import { foldSearch } from '#platform/contract/fold.ts';
import { ALL_SONGS } from '../../contract/limits.ts';
import type { Library, Playlist, Song } from '../../web/musicTypes.ts';
import { containsWords, getMembers, filterSongs, splitWords } from '../domain/libraryFilter.ts';
import { sortSongs } from '../domain/playlist.ts';
import { NO_FILTERS, type Filters } from './viewState.ts';

/** A playlist on the page, or the results of a search. */
export interface Block {
  readonly key: string;
  /** The playlist that its actions apply to: All MP3s for search results. */
  readonly playlist: Playlist;
  /** Title in the header. */
  readonly title: string;
  readonly isSearchResult: boolean;
  readonly isExpanded: boolean;
  readonly filters: Filters;
  /** Songs that are shown; none while it is collapsed. */
  readonly songs: readonly number[];
  /** Duration of all of its songs, in seconds. */
  readonly duration: number;
}

export const SEARCH_RESULTS_KEY = 'found';
const NO_SONGS: readonly number[] = [];

const foldedTextBySong = new WeakMap<Song, string>();
function getFoldedText(song: Song): string {
  const cached = foldedTextBySong.get(song);
  if (cached !== undefined) return cached;
  const text = foldSearch(`${song.title} ${song.artist} ${song.album}`);
  foldedTextBySong.set(song, text);
  return text;
}

interface BlockInput {
  readonly library: Library;
  readonly filters: Filters;
  readonly songs: readonly number[];
}
/** Last result per playlist, so that opening one playlist doesn't sort the 20,000 songs of another one again. */
const lastInputByPlaylist = new WeakMap<Playlist, BlockInput>();

function getShownSongs(library: Library, playlist: Playlist, filters: Filters): readonly number[] {
  const last = lastInputByPlaylist.get(playlist);
  if (last?.library === library && last.filters === filters) return last.songs;
  const getSong = (id: number): Song | undefined => library.songs.get(id);
  const existing = playlist.songs.filter((id) => library.songs.has(id));
  const lists = filters.playlists.flatMap((id) => {
    const list = library.playlistById.get(id);
    return list ? [list.songs] : [];
  });
  const filtered = filterSongs(existing, { words: splitWords(filters.name), members: getMembers(lists) }, (id) => {
    const song = getSong(id);
    return song ? getFoldedText(song) : '';
  });
  const songs = sortSongs(filtered, filters.order, (id) => getSong(id)?.order ?? 0);
  lastInputByPlaylist.set(playlist, { library, filters, songs });
  return songs;
}

const durationByPlaylist = new WeakMap<Playlist, number>();
function getDuration(library: Library, playlist: Playlist): number {
  const cached = durationByPlaylist.get(playlist);
  if (cached !== undefined) return cached;
  const duration = playlist.songs.reduce((sum, id) => sum + (library.songs.get(id)?.duration ?? 0), 0);
  durationByPlaylist.set(playlist, duration);
  return duration;
}

interface BlockOptions {
  readonly expanded: ReadonlySet<number>;
  readonly filters: ReadonlyMap<number, Filters>;
}

function toBlock(library: Library, playlist: Playlist, { expanded, filters: all }: BlockOptions): Block {
  const filters = all.get(playlist.id) ?? NO_FILTERS;
  const isExpanded = expanded.has(playlist.id);
  return {
    key: String(playlist.id),
    playlist,
    title: playlist.title,
    isSearchResult: false,
    isExpanded,
    filters,
    songs: isExpanded ? getShownSongs(library, playlist, filters) : NO_SONGS,
    duration: getDuration(library, playlist),
  };
}

/** Returns all playlists as blocks; during a search, the songs and playlists that match. */
export function toBlocks(library: Library, options: BlockOptions, search: string): readonly Block[] {
  const words = splitWords(search);
  const all = library.playlistById.get(ALL_SONGS);
  if (words.length === 0 || !all) return library.playlists.map((playlist) => toBlock(library, playlist, options));
  const filters: Filters = { ...NO_FILTERS, name: search };
  const songs = filterSongs(all.songs, { words, members: undefined }, (id) => {
    const song = library.songs.get(id);
    return song ? getFoldedText(song) : '';
  });
  const results: Block = {
    key: SEARCH_RESULTS_KEY,
    playlist: all,
    title: 'Matching songs',
    isSearchResult: true,
    isExpanded: true,
    filters,
    songs,
    duration: songs.reduce((sum, id) => sum + (library.songs.get(id)?.duration ?? 0), 0),
  };
  const playlists = library.playlists.filter(
    ({ id, title }) => id !== ALL_SONGS && containsWords(foldSearch(title), words),
  );
  return [results, ...playlists.map((playlist) => toBlock(library, playlist, options))];
}
