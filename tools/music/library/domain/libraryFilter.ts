import { foldSearch } from '#platform/contract/fold.ts';

/** Splits a search into words. A match has all of them, in any order, ignoring case and accents. */
export function splitWords(input: string): readonly string[] {
  return foldSearch(input).split(/\s+/).filter(Boolean);
}

/** Returns whether a folded text contains all words. */
export function containsWords(folded: string, words: readonly string[]): boolean {
  return words.every((word) => folded.includes(word));
}

/** Filter of a list of songs. */
export interface SongFilter {
  readonly words: readonly string[];
  /** Only these songs remain; undefined for all. */
  readonly members: ReadonlySet<number> | undefined;
}

/** Filters songs and keeps their order. `getSearchText` returns the folded searchable text of a song. */
export function filterSongs(
  songs: readonly number[],
  { words, members }: SongFilter,
  getSearchText: (song: number) => string,
): readonly number[] {
  if (words.length === 0 && members === undefined) return songs;
  return songs.filter((song) => members?.has(song) !== false && containsWords(getSearchText(song), words));
}

/** Returns the songs of all these lists; undefined if there are no lists. */
export function getMembers(lists: readonly (readonly number[])[]): ReadonlySet<number> | undefined {
  return lists.length === 0 ? undefined : new Set(lists.flat());
}
