// A player may put a song into a playlist several times; the page's own ways to add leave out what is there already.

export const eachOnce = (songs: readonly number[]): readonly number[] => [...new Set(songs)];

/** Of a playlist as it is kept, what is shown. */
export const shownIn = (songs: readonly number[], isThere: (song: number) => boolean): readonly number[] =>
  songs.filter(isThere);

/** Behind all others, those that are not there yet. */
export const withSongs = (songs: readonly number[], more: readonly number[]): readonly number[] => {
  const there = new Set(songs);
  return [...songs, ...eachOnce(more).filter((song) => !there.has(song))];
};

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
export const rewritten = ({ kept, wanted, known, deleted }: PlaylistRewrite): readonly number[] => {
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
};
