import { foldSearch } from '#platform/contract/fold.ts';

/** The words of what was typed. Each has to stand in what is found, in any order, whatever the case and accents. */
export function wordsOf(typed: string): readonly string[] {
  return foldSearch(typed).split(/\s+/).filter(Boolean);
}

/** Whether a text, folded, has all of these words. */
export function holds(folded: string, words: readonly string[]): boolean {
  return words.every((word) => folded.includes(word));
}

/** What narrows a list of songs. */
export interface SongFilter {
  readonly words: readonly string[];
  /** Only these are left; all where there is none. */
  readonly members: ReadonlySet<number> | undefined;
}

/** The songs that are left, in their order. `textOf` gives a song's words, folded. */
export function narrowed(
  songs: readonly number[],
  { words, members }: SongFilter,
  textOf: (song: number) => string,
): readonly number[] {
  if (words.length === 0 && members === undefined) return songs;
  return songs.filter((song) => members?.has(song) !== false && holds(textOf(song), words));
}

/** Songs of any of these lists; undefined where there is no list. */
export function membersOf(lists: readonly (readonly number[])[]): ReadonlySet<number> | undefined {
  return lists.length === 0 ? undefined : new Set(lists.flat());
}
