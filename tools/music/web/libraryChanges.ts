/** The library as a page has it. All MP3s is not among the lists: it consists of all songs in order. */
export interface LibrarySnapshot<Song, List> {
  readonly songs: ReadonlyMap<number, Song>;
  readonly lists: ReadonlyMap<number, List>;
}

/** Changes to a snapshot. */
export interface LibraryChanges<Song, List> {
  /** New and changed songs. */
  readonly songs: ReadonlyMap<number, Song>;
  /** Deleted songs. */
  readonly gone: readonly number[];
  /** New and changed playlists. */
  readonly lists: ReadonlyMap<number, List>;
  /** Ids of all playlists that exist. */
  readonly allLists: readonly number[];
}

/** Returns the ids of all songs, oldest first. */
export function byOrder(songs: ReadonlyMap<number, { readonly order: number }>): readonly number[] {
  return [...songs].toSorted(([, one], [, other]) => one.order - other.order).map(([id]) => id);
}

/** Applies changes to a snapshot. Applying the same changes twice has no further effect. */
export function withNews<Song, List extends { readonly songs: readonly number[] }>(
  snapshot: LibrarySnapshot<Song, List>,
  { songs: changed, gone, lists: changedLists, allLists }: LibraryChanges<Song, List>,
): LibrarySnapshot<Song, List> {
  const songs = new Map(snapshot.songs);
  for (const id of gone) songs.delete(id);
  for (const [id, song] of changed) songs.set(id, song);
  const goneIds = new Set(gone);
  const lists = new Map<number, List>();
  for (const id of allLists) {
    const list = changedLists.get(id) ?? snapshot.lists.get(id);
    if (list === undefined) continue;
    const hasGoneSongs = list.songs.some((song) => goneIds.has(song));
    lists.set(id, hasGoneSongs ? { ...list, songs: list.songs.filter((song) => !goneIds.has(song)) } : list);
  }
  return { songs, lists };
}
