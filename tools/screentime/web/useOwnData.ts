import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useSyncExternalStore } from 'react';
import { useSession } from '#platform/web/session.ts';
import { SCREEN_TIME } from './keys.ts';

/** The token whose answers are kept. */
let owner: string | undefined;
const listeners = new Set<() => void>();
const ownerNow = (): string | undefined => owner;
const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};
const hand = (queries: QueryClient, token: string | undefined): void => {
  if (owner === token) return;
  queries.removeQueries({ queryKey: [SCREEN_TIME] });
  owner = token;
  for (const tell of listeners) tell();
};

/** Whether somebody is logged in, and nothing is kept any more of who was before: these pages stay while the login changes. */
export const useOwnData = (): boolean => {
  const queries = useQueryClient();
  const token = useSession()?.token;
  useLayoutEffect(() => hand(queries, token), [queries, token]);
  return useSyncExternalStore(subscribe, ownerNow) === token && token !== undefined;
};
