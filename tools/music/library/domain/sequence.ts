/** A song that the same list brought, and its place in that list. */
export interface Sibling {
  readonly song: number;
  readonly position: number;
}

/**
 * A playlist with a song in it that a list brought. Songs of a list are finished in any order: this one stands behind the nearest that comes
 * before it in the list, else before the nearest that comes after it, else at the end. One that is there already stays where it is.
 */
export const inSequence = (
  songs: readonly number[],
  { song, position }: Sibling,
  siblings: readonly Sibling[],
): readonly number[] => {
  if (songs.includes(song)) return songs;
  const there = siblings.filter((each) => songs.includes(each.song)).toSorted((a, b) => a.position - b.position);
  const before = there.findLast((each) => each.position < position);
  if (before) return songs.toSpliced(songs.indexOf(before.song) + 1, 0, song);
  const after = there.find((each) => each.position > position);
  return after ? songs.toSpliced(songs.indexOf(after.song), 0, song) : [...songs, song];
};
