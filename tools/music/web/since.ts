/** What a page holds of a library. All songs are no playlist of it: they are all songs, by their order. */
export interface LibrarySnapshot<Song, List> {
  readonly songs: ReadonlyMap<number, Song>;
  readonly lists: ReadonlyMap<number, List>;
}

/** What is new to it. */
export interface LibraryChanges<Song, List> {
  /** As they are now. */
  readonly songs: ReadonlyMap<number, Song>;
  /** Songs that were deleted. */
  readonly gone: readonly number[];
  /** Playlists as they are now. */
  readonly lists: ReadonlyMap<number, List>;
  /** All playlists that there are. */
  readonly allLists: readonly number[];
}

/** All songs, the oldest first. */
export function byOrder(songs: ReadonlyMap<number, { readonly order: number }>): readonly number[] {
  return [...songs].toSorted(([, one], [, other]) => one.order - other.order).map(([id]) => id);
}

/** What is held, with the news in it. It may be told the same news twice. */
export function withNews<Song, List extends { readonly songs: readonly number[] }>(
  held: LibrarySnapshot<Song, List>,
  { songs: changed, gone, lists: changedLists, allLists }: LibraryChanges<Song, List>,
): LibrarySnapshot<Song, List> {
  const songs = new Map(held.songs);
  for (const id of gone) songs.delete(id);
  for (const [id, song] of changed) songs.set(id, song);
  const isGone = new Set(gone);
  const lists = new Map<number, List>();
  for (const id of allLists) {
    const list = changedLists.get(id) ?? held.lists.get(id);
    if (list === undefined) continue;
    const isLess = list.songs.some((song) => isGone.has(song));
    lists.set(id, isLess ? { ...list, songs: list.songs.filter((song) => !isGone.has(song)) } : list);
  }
  return { songs, lists };
}
