import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { SongActions } from '#tools/music/web/musicTypes.ts';
import { libraryActs, type LibraryActions } from './libraryActions.ts';

const known = new WeakMap<QueryClient, LibraryActions>();

/** The same ones as long as the page of the browser lives. */
export const actsOf = (queries: QueryClient): LibraryActions => {
  const acts = known.get(queries) ?? libraryActs(queries);
  known.set(queries, acts);
  return acts;
};

export const useLibraryActs = (): LibraryActions => actsOf(useQueryClient());

export const useSongActs = (): SongActions => useLibraryActs().songs;
