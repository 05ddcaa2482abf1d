/** A list with what is at one place at another, counted with it taken out; beyond the ends it is at the end. */
export function movedFrom<T>(list: readonly T[], from: number, place: number): readonly T[] {
  if (from < 0 || from >= list.length) return list;
  const others = list.toSpliced(from, 1);
  return others.toSpliced(Math.min(Math.max(place, 0), others.length), 0, ...list.slice(from, from + 1));
}

/** The same for one of its members, by its first place. */
export function movedTo<T>(list: readonly T[], member: T, place: number): readonly T[] {
  return movedFrom(list, list.indexOf(member), place);
}

/** Whether there is a place in that direction: the first one goes no further up, the last one no further down. */
export function canMove(list: readonly unknown[], from: number, by: 1 | -1): boolean {
  return from !== -1 && from + by >= 0 && from + by < list.length;
}

export function movedBy<T>(list: readonly T[], from: number, by: 1 | -1): readonly T[] {
  return canMove(list, from, by) ? movedFrom(list, from, from + by) : list;
}

/** The orders of a playlist's songs, in which its button cycles (specification 2, section 2.7). */
export const ORDERS = ['default', 'newest first', 'oldest first'] as const;
export type Order = (typeof ORDERS)[number];

export function nextOrder(order: Order): Order {
  return ORDERS[(ORDERS.indexOf(order) + 1) % ORDERS.length] ?? 'default';
}

/** Songs in this order; `default` is the playlist's own. Of songs alike the playlist's order holds. */
export function inOrder(songs: readonly number[], order: Order, orderOf: (song: number) => number): readonly number[] {
  if (order === 'default') return songs;
  const sign = order === 'newest first' ? -1 : 1;
  return songs.toSorted((one, other) => sign * (orderOf(one) - orderOf(other)));
}

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

/** A song that the same list brought, and its place in that list. */
export interface Sibling {
  readonly song: number;
  readonly position: number;
}

/**
 * A playlist with a song in it that a list brought. Songs of a list are finished in any order: this one stands behind the nearest that comes
 * before it in the list, else before the nearest that comes after it, else at the end. One that is there already stays where it is.
 */
export function inSequence(
  songs: readonly number[],
  { song, position }: Sibling,
  siblings: readonly Sibling[],
): readonly number[] {
  if (songs.includes(song)) return songs;
  const there = siblings.filter((each) => songs.includes(each.song)).toSorted((a, b) => a.position - b.position);
  const before = there.findLast((each) => each.position < position);
  if (before) return songs.toSpliced(songs.indexOf(before.song) + 1, 0, song);
  const after = there.find((each) => each.position > position);
  return after ? songs.toSpliced(songs.indexOf(after.song), 0, song) : [...songs, song];
}

// A player may put a song into a playlist several times; the page's own ways to add leave out what is there already.

export function eachOnce(songs: readonly number[]): readonly number[] {
  return [...new Set(songs)];
}

/** Of a playlist as it is kept, what is shown. */
export function shownIn(songs: readonly number[], isThere: (song: number) => boolean): readonly number[] {
  return songs.filter(isThere);
}

/** Behind all others, those that are not there yet. */
export function withSongs(songs: readonly number[], more: readonly number[]): readonly number[] {
  const there = new Set(songs);
  return [...songs, ...eachOnce(more).filter((song) => !there.has(song))];
}

/** For each place a name that is no other's: the song, and how often it was there before. */
const occurrenceKeys = (songs: readonly number[]): readonly string[] => {
  const counts = new Map<number, number>();
  return songs.map((song) => {
    const nth = counts.get(song) ?? 0;
    counts.set(song, nth + 1);
    return `${song} ${nth}`;
  });
};

export interface PlaylistRewrite {
  /** As it is kept. */
  readonly kept: readonly number[];
  /** As a page wants it. */
  readonly wanted: readonly number[];
  /** What that page knew of; undefined where it says nothing about that. */
  readonly known: readonly number[] | undefined;
  /** Songs of the kept ones that were deleted and may come back. */
  readonly deleted: ReadonlySet<number>;
}

/**
 * A playlist as a page wants it. A song that came in meanwhile (another tab put it there, a download ended) stays, behind the others; one
 * that was deleted stays behind the song that it stood behind, and is there again when it comes back.
 */
export function rewritten({ kept, wanted, known, deleted }: PlaylistRewrite): readonly number[] {
  // What was written twice, because its answer was lost, is there and wanted: it did not come from elsewhere.
  const knew = known && new Set([...known, ...wanted]);
  const came = knew === undefined ? [] : kept.filter((song) => !knew.has(song) && !deleted.has(song));
  const shown = [...wanted, ...came];
  const shownKeys = occurrenceKeys(shown);
  const isShown = new Set(shownKeys);
  const behind = new Map<string | undefined, number[]>();
  let before: string | undefined;
  for (const [at, key] of occurrenceKeys(kept).entries()) {
    const song = kept[at] ?? 0;
    if (isShown.has(key)) before = key;
    else if (deleted.has(song)) behind.set(before, [...(behind.get(before) ?? []), song]);
  }
  const after = (key: string | undefined): readonly number[] => behind.get(key) ?? [];
  return [...after(undefined), ...shown.flatMap((song, at) => [song, ...after(shownKeys[at])])];
}
