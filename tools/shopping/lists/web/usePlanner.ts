import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { useOfflineState } from '#platform/web/app/offlinePage.ts';
import type { Planner } from './plannerTypes.ts';
import { useLists } from './useLists.ts';

const never = (): (() => void) => () => undefined;

/** Before it is known whose lists these are. */
const LOADING: Planner = {
  lists: [],
  invitations: [],
  deleted: [],
  globalItems: [],
  isKnown: false,
  isLoading: true,
  isKept: true,
  offline: 'preparing',
  reload: () => undefined,
  create: () => '',
  drop: () => undefined,
};

/** All lists of the account, live. The page that uses it opens with no line from then on. */
export const usePlanner = (): Planner => {
  const offline = useOfflineState();
  const lists = useLists();
  const planner = useSyncExternalStore(
    lists?.subscribe ?? never,
    useCallback(() => lists?.planner() ?? LOADING, [lists]),
  );
  return useMemo(() => ({ ...planner, offline }), [planner, offline]);
};
