import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import type { ListEntry } from '../plannerTypes.ts';

const LAST_LIST_KEY = 'shopping.list';

/** The list that was last open in this browser, as its name in the address. */
export const lastOpenedList = {
  get: (): string | null | undefined => browserStorage.get(LAST_LIST_KEY),
  set: (name: string): void => browserStorage.set(LAST_LIST_KEY, name),
};

const MENU_KEY = 'shopping.menu';

/** Returns whether the window has 500 px or less (docs/specification/shopping.md section 6). */
export function useIsSmall(): boolean {
  return useMediaQuery('(max-width: 500px)', undefined, { getInitialValueInEffect: false }) ?? false;
}

/** Tracks whether the menu is open. Wide windows store it, open by default. Small windows show it as a sheet. */
export function useMenu(isSmall: boolean) {
  const [storedState] = useBrowserStorage(MENU_KEY);
  const [isSheetOpen, setSheetOpen] = useState(false);
  // A sheet must not reappear when the window becomes narrow again.
  if (!isSmall && isSheetOpen) setSheetOpen(false);
  const setOpen = useCallback(
    (isOpen: boolean): void => {
      if (isSmall) setSheetOpen(isOpen);
      else browserStorage.set(MENU_KEY, isOpen ? 'shown' : 'hidden');
    },
    [isSmall],
  );
  return { isOpen: isSmall ? isSheetOpen : storedState !== 'hidden', setOpen };
}

/** Returns the name of a list in the address: the server's id once there is one, as it outlives the page. */
const getListParam = ({ id, key }: ListEntry): string => (id === undefined ? key : String(id));
const findByName = (lists: readonly ListEntry[], name: string | null | undefined): ListEntry | undefined =>
  lists.find(({ key }) => key === name) ?? lists.find((entry) => getListParam(entry) === name);

const formatSearch = (list: string, isEditing: boolean): string =>
  `?${new URLSearchParams({ list, ...(isEditing && { edit: '1' }) }).toString()}`;

/**
 * Tracks which list is open. It is in the address, so that links, reloads and the back button work.
 * Without a list in the address, it is the last one opened here, otherwise the first.
 */
export function usePlannerLocation(lists: readonly ListEntry[]) {
  const { search } = useLocation();
  const navigate = useNavigate();
  const query = new URLSearchParams(search);
  const listParam = query.get('list');
  const entry =
    listParam === null
      ? (findByName(lists, lastOpenedList.get()) ?? lists.find(({ isArchived }) => !isArchived) ?? lists[0])
      : findByName(lists, listParam);
  const isEditing = query.get('edit') === '1';

  /** The mode that was requested last. The router renders a navigation later. */
  const requestedEditing = useRef(isEditing);
  useEffect(() => {
    requestedEditing.current = isEditing;
  }, [isEditing]);
  const goTo = useCallback(
    (list: string, shouldEdit: boolean, replace: boolean): void => {
      requestedEditing.current = shouldEdit;
      void navigate({ search: formatSearch(list, shouldEdit) }, { replace, state: createNavigationState() });
    },
    [navigate],
  );
  const name = entry && getListParam(entry);
  useEffect(() => {
    if (name !== undefined && entry?.id !== undefined) lastOpenedList.set(name);
    // A list that was created here has its id now.
    if (name !== undefined && listParam !== null && listParam !== name) goTo(name, requestedEditing.current, true);
  }, [name, entry?.id, listParam, goTo]);

  return {
    /** Key for `useList`; undefined if there is no list to open. */
    key: entry?.key ?? listParam ?? undefined,
    entry,
    isEditing,
    select: (list: string): void => {
      const next = findByName(lists, list);
      goTo(next ? getListParam(next) : list, false, false);
    },
    edit: (shouldEdit: boolean): void => {
      const openList = name ?? listParam;
      if (openList !== null) goTo(openList, shouldEdit, true);
    },
    /** Leaves a list that no longer exists. */
    leave: (list: string): void => {
      const next = lists.find(({ key, isArchived }) => key !== list && !isArchived);
      if (next) goTo(getListParam(next), false, true);
      else void navigate({ search: '' }, { replace: true, state: createNavigationState() });
    },
  };
}
