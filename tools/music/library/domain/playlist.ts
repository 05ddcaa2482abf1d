/** Moves the item at `from` to `place`, counted without the item and clamped to the ends. */
export function moveFromIndex<T>(list: readonly T[], from: number, place: number): readonly T[] {
  if (from < 0 || from >= list.length) return list;
  const others = list.toSpliced(from, 1);
  return others.toSpliced(Math.min(Math.max(place, 0), others.length), 0, ...list.slice(from, from + 1));
}

/** Moves the first occurrence of a member. */
export function moveMember<T>(list: readonly T[], member: T, place: number): readonly T[] {
  return moveFromIndex(list, list.indexOf(member), place);
}

/** Returns whether the item can move in this direction. */
export function canMove(list: readonly unknown[], from: number, by: 1 | -1): boolean {
  return from !== -1 && from + by >= 0 && from + by < list.length;
}

export function moveByOne<T>(list: readonly T[], from: number, by: 1 | -1): readonly T[] {
  return canMove(list, from, by) ? moveFromIndex(list, from, from + by) : list;
}

/** Orders of songs, through which a playlist's button cycles (docs/specification/music.md section 1.2). */
export const ORDERS = ['default', 'newest first', 'oldest first'] as const;
export type Order = (typeof ORDERS)[number];

export function getNextOrder(order: Order): Order {
  return ORDERS[(ORDERS.indexOf(order) + 1) % ORDERS.length] ?? 'default';
}

/** Sorts songs. `default` is the playlist's own order, which also breaks ties. */
export function sortSongs(
  songs: readonly number[],
  order: Order,
  getOrder: (song: number) => number,
): readonly number[] {
  if (order === 'default') return songs;
  const sign = order === 'newest first' ? -1 : 1;
  return songs.toSorted((one, other) => sign * (getOrder(one) - getOrder(other)));
}

/** One of the places of a song in a list. Players can add a song to a playlist several times. */
export interface Occurrence {
  readonly song: number;
  /** 0 for its first place. */
  readonly nth: number;
}

/** Caches whether every song is in a list only once, as in most lists. */
const uniqueByList = new WeakMap<readonly number[], boolean>();
function isUnique(songs: readonly number[]): boolean {
  const isUniqueList = uniqueByList.get(songs) ?? new Set(songs).size === songs.length;
  uniqueByList.set(songs, isUniqueList);
  return isUniqueList;
}

/** Returns which occurrence of its song is at an index. */
export function getOccurrence(songs: readonly number[], place: number): Occurrence {
  const song = songs[place] ?? 0;
  if (isUnique(songs)) return { song, nth: 0 };
  return { song, nth: songs.slice(0, place).filter((one) => one === song).length };
}

/** Returns the index of an occurrence; -1 if the song is not in the list that often. */
export function findOccurrence(songs: readonly number[], { song, nth }: Occurrence): number {
  let place = songs.indexOf(song);
  for (let remaining = nth; remaining > 0 && place !== -1; remaining -= 1) place = songs.indexOf(song, place + 1);
  return place;
}

/** A song of the same list, and its place in that list. */
export interface Sibling {
  readonly song: number;
  readonly position: number;
}

/**
 * Inserts a song of a downloaded list. Its songs finish in any order, so it is inserted after the nearest predecessor
 * in the list, otherwise before the nearest successor, otherwise at the end. A song that is there stays in place.
 */
export function insertInSequence(
  songs: readonly number[],
  { song, position }: Sibling,
  siblings: readonly Sibling[],
): readonly number[] {
  if (songs.includes(song)) return songs;
  const present = siblings.filter((each) => songs.includes(each.song)).toSorted((a, b) => a.position - b.position);
  const before = present.findLast((each) => each.position < position);
  if (before) return songs.toSpliced(songs.indexOf(before.song) + 1, 0, song);
  const after = present.find((each) => each.position > position);
  return after ? songs.toSpliced(songs.indexOf(after.song), 0, song) : [...songs, song];
}

/** Removes repeated songs. Players can add a song to a playlist several times. */
export function removeDuplicates(songs: readonly number[]): readonly number[] {
  return [...new Set(songs)];
}

/** Appends songs that are not in the list yet. */
export function withSongs(songs: readonly number[], more: readonly number[]): readonly number[] {
  const present = new Set(songs);
  return [...songs, ...removeDuplicates(more).filter((song) => !present.has(song))];
}

/** Returns a unique key for each place: the song and the number of its earlier occurrences. */
function listOccurrenceKeys(songs: readonly number[]): readonly string[] {
  const counts = new Map<number, number>();
  return songs.map((song) => {
    const nth = counts.get(song) ?? 0;
    counts.set(song, nth + 1);
    return `${song} ${nth}`;
  });
}

export interface PlaylistRewrite {
  /** The stored songs. */
  readonly stored: readonly number[];
  /** The songs that a page sends. */
  readonly requested: readonly number[];
  /** The songs that the page knew; undefined if it doesn't send them. */
  readonly known: readonly number[] | undefined;
  /** Stored songs that were deleted and can be restored. */
  readonly deleted: ReadonlySet<number>;
}

/**
 * Merges a playlist from a page with the stored one. Songs that were added in the meantime stay, after the others.
 * Deleted songs stay after their predecessor, so that they return to their place when they are restored.
 */
export function mergePlaylist({ stored, requested, known, deleted }: PlaylistRewrite): readonly number[] {
  // Songs of a request that is repeated after a lost answer were not added by someone else.
  const knownSongs = known && new Set([...known, ...requested]);
  const added = knownSongs === undefined ? [] : stored.filter((song) => !knownSongs.has(song) && !deleted.has(song));
  const visible = [...requested, ...added];
  const shownKeys = listOccurrenceKeys(visible);
  const shownKeySet = new Set(shownKeys);
  const deletedByPredecessor = new Map<string | undefined, number[]>();
  let predecessor: string | undefined;
  for (const [at, key] of listOccurrenceKeys(stored).entries()) {
    const song = stored[at] ?? 0;
    if (shownKeySet.has(key)) predecessor = key;
    else if (deleted.has(song))
      deletedByPredecessor.set(predecessor, [...(deletedByPredecessor.get(predecessor) ?? []), song]);
  }
  const listDeletedAfter = (key: string | undefined): readonly number[] => deletedByPredecessor.get(key) ?? [];
  return [...listDeletedAfter(undefined), ...visible.flatMap((song, at) => [song, ...listDeletedAfter(shownKeys[at])])];
}
