import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { SongActs } from '../parts.ts';
import { libraryActs, type LibraryActs } from './acts.ts';

const known = new WeakMap<QueryClient, LibraryActs>();

/** The same ones as long as the page of the browser lives. */
export const actsOf = (queries: QueryClient): LibraryActs => {
  const acts = known.get(queries) ?? libraryActs(queries);
  known.set(queries, acts);
  return acts;
};

export const useLibraryActs = (): LibraryActs => actsOf(useQueryClient());

export const useSongActs = (): SongActs => useLibraryActs().songs;
