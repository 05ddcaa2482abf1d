// A song stands in a playlist once: what is asked to stand there twice stands at its first place.

export const eachOnce = (songs: readonly number[]): readonly number[] => [...new Set(songs)];

/** Of a playlist as it is kept, what is shown. */
export const shownIn = (songs: readonly number[], isThere: (song: number) => boolean): readonly number[] =>
  songs.filter(isThere);

/** Behind all others, those that are not there yet. */
export const withSongs = (songs: readonly number[], more: readonly number[]): readonly number[] =>
  eachOnce([...songs, ...more]);

export interface Rewriting {
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
export const rewritten = ({ kept, wanted, known, deleted }: Rewriting): readonly number[] => {
  const knew = known && new Set(known);
  const came = knew === undefined ? [] : kept.filter((song) => !knew.has(song) && !deleted.has(song));
  const shown = withSongs(wanted, came);
  const isShown = new Set(shown);
  const behind = new Map<number | undefined, number[]>();
  let before: number | undefined;
  for (const song of kept)
    if (isShown.has(song)) before = song;
    else if (deleted.has(song)) behind.set(before, [...(behind.get(before) ?? []), song]);
  return [...(behind.get(undefined) ?? []), ...shown.flatMap((song) => [song, ...(behind.get(song) ?? [])])];
};
