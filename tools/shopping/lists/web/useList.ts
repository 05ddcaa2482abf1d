import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { SyncStatus } from '../../sync/web/syncEngine.ts';
import type { OpenList } from './plannerTypes.ts';
import { useLists } from './useLists.ts';

const never = (): (() => void) => () => undefined;
const CLOSED: SyncStatus = {
  list: undefined,
  state: 'saved',
  unsent: 0,
  kept: 0,
  flashing: new Set(),
  isGone: false,
  problem: undefined,
};

/** One list, live, by its key; none where there is no key. */
export const useList = (key: string | undefined): OpenList => {
  const lists = useLists();
  // The same one at every call, once it is known what is kept.
  const find = useCallback(() => (key === undefined ? undefined : lists?.open(key)), [lists, key]);
  const opened = useSyncExternalStore(lists?.subscribe ?? never, find);
  useEffect(() => (key === undefined || !opened ? undefined : lists?.use(key)), [lists, key, opened]);
  const standing = useSyncExternalStore(
    opened?.sync.subscribe ?? never,
    useCallback(() => opened?.sync.standing() ?? CLOSED, [opened]),
  );
  const change = useMemo<OpenList['change']>(
    () => (key !== undefined && opened && lists?.changeOf(key)) || (() => undefined),
    [lists, key, opened],
  );
  const undo = useCallback(() => opened?.undo.back(), [opened]);
  const keyOf = useCallback<OpenList['keyOf']>((id) => opened?.sync.keyOf(id) ?? id, [opened]);
  return useMemo(
    () => ({ ...standing, change, undo, keyOf, canUndo: opened?.undo.can() ?? false }),
    [standing, change, undo, keyOf, opened],
  );
};
