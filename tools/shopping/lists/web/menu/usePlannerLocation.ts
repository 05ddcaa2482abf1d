import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import type { ListEntry } from '../plannerTypes.ts';

const LAST = 'shopping.list';

/** Name of the list that was last open in this browser, as in its address. */
export const shownLast = {
  get: (): string | null | undefined => browserStorage.get(LAST),
  set: (name: string): void => browserStorage.set(LAST, name),
};

const SHOWN_KEY = 'shopping.menu';

/** Window of 500 px or less (docs/specification/shopping.md section 6). */
export function useSmall(): boolean {
  return useMediaQuery('(max-width: 500px)', undefined, { getInitialValueInEffect: false }) ?? false;
}

/**
 * Whether the menu is open: initially if the window is wider than 500 px and the user didn't hide it; else as a sheet.
 */
export function useMenu(small: boolean) {
  const [remembered] = useBrowserStorage(SHOWN_KEY);
  const [sheet, setSheet] = useState(false);
  // A sheet must not reappear when the window becomes narrow again.
  if (!small && sheet) setSheet(false);
  const setOpen = useCallback(
    (open: boolean): void => {
      if (small) setSheet(open);
      else browserStorage.set(SHOWN_KEY, open ? 'shown' : 'hidden');
    },
    [small],
  );
  return { isOpen: small ? sheet : remembered !== 'hidden', setOpen };
}

/** Returns the name of a list in the address: the server's id as soon as there is one, as it outlives the page. */
const getListParam = ({ id, key }: ListEntry): string => (id === undefined ? key : String(id));
const findByName = (lists: readonly ListEntry[], name: string | null | undefined): ListEntry | undefined =>
  lists.find(({ key }) => key === name) ?? lists.find((entry) => getListParam(entry) === name);

const formatSearch = (list: string, isEditing: boolean): string =>
  `?${new URLSearchParams({ list, ...(isEditing && { edit: '1' }) }).toString()}`;

/**
 * Tracks which list is open. It is in the address, so that links, reloads and the back button work.
 * Without a list in the address, it is the last one opened here, otherwise the first.
 */
export function usePlace(lists: readonly ListEntry[]) {
  const { search } = useLocation();
  const navigate = useNavigate();
  const query = new URLSearchParams(search);
  const listParam = query.get('list');
  const entry =
    listParam === null
      ? (findByName(lists, shownLast.get()) ?? lists.find(({ isArchived }) => !isArchived) ?? lists[0])
      : findByName(lists, listParam);
  const isEditing = query.get('edit') === '1';

  /** The mode that was requested last. The router renders a navigation later. */
  const requestedEditing = useRef(isEditing);
  useEffect(() => {
    requestedEditing.current = isEditing;
  }, [isEditing]);
  const go = useCallback(
    (list: string, editing: boolean, replace: boolean): void => {
      requestedEditing.current = editing;
      void navigate({ search: formatSearch(list, editing) }, { replace, state: createNavigationState() });
    },
    [navigate],
  );
  const name = entry && getListParam(entry);
  useEffect(() => {
    if (name !== undefined && entry?.id !== undefined) shownLast.set(name);
    // A list that was created here has its id now.
    if (name !== undefined && listParam !== null && listParam !== name) go(name, requestedEditing.current, true);
  }, [name, entry?.id, listParam, go]);

  return {
    /** Key for `useList`; undefined if there is no list to open. */
    key: entry?.key ?? listParam ?? undefined,
    entry,
    isEditing,
    pick: (list: string): void => {
      const next = findByName(lists, list);
      go(next ? getListParam(next) : list, false, false);
    },
    edit: (editing: boolean): void => {
      const open = name ?? listParam;
      if (open !== null) go(open, editing, true);
    },
    /** Leaves a list that no longer exists. */
    leave: (list: string): void => {
      const next = lists.find(({ key, isArchived }) => key !== list && !isArchived);
      if (next) go(getListParam(next), false, true);
      else void navigate({ search: '' }, { replace: true, state: createNavigationState() });
    },
  };
}
