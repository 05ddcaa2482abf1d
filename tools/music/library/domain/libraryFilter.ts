import { foldSearch } from '#platform/contract/fold.ts';

/** The words of what was typed. Each has to stand in what is found, in any order, whatever the case and accents. */
export const wordsOf = (typed: string): readonly string[] => foldSearch(typed).split(/\s+/).filter(Boolean);

/** Whether a text, folded, has all of these words. */
export const holds = (folded: string, words: readonly string[]): boolean =>
  words.every((word) => folded.includes(word));

/** What narrows a list of songs. */
export interface SongFilter {
  readonly words: readonly string[];
  /** Only these are left; all where there is none. */
  readonly members: ReadonlySet<number> | undefined;
}

/** The songs that are left, in their order. `textOf` gives a song's words, folded. */
export const narrowed = (
  songs: readonly number[],
  { words, members }: SongFilter,
  textOf: (song: number) => string,
): readonly number[] => {
  if (words.length === 0 && members === undefined) return songs;
  return songs.filter((song) => members?.has(song) !== false && holds(textOf(song), words));
};

/** Songs of any of these lists; undefined where there is no list. */
export const membersOf = (lists: readonly (readonly number[])[]): ReadonlySet<number> | undefined =>
  lists.length === 0 ? undefined : new Set(lists.flat());
