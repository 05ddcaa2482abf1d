/** One of the places at which a song is in a list: players may put a song into a playlist several times. */
export interface Occurrence {
  readonly song: number;
  /** 0 for its first place. */
  readonly nth: number;
}

/** Lists in which every song is once: most, and the longest. */
const unique = new WeakMap<readonly number[], boolean>();
const isUnique = (songs: readonly number[]): boolean => {
  const known = unique.get(songs) ?? new Set(songs).size === songs.length;
  unique.set(songs, known);
  return known;
};

export function occurrenceAt(songs: readonly number[], place: number): Occurrence {
  const song = songs[place] ?? 0;
  if (isUnique(songs)) return { song, nth: 0 };
  return { song, nth: songs.slice(0, place).filter((one) => one === song).length };
}

/** Where it is; -1 where the list does not have it so often. */
export function placeOf(songs: readonly number[], { song, nth }: Occurrence): number {
  let place = songs.indexOf(song);
  for (let left = nth; left > 0 && place !== -1; left -= 1) place = songs.indexOf(song, place + 1);
  return place;
}
