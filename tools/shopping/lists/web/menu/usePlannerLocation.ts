import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import type { ListEntry } from '../plannerTypes.ts';

const LAST = 'shopping.list';

/** The name of the list that was open last in this browser, as its address has it. */
export const shownLast = {
  get: (): string | null | undefined => browserStorage.get(LAST),
  set: (name: string): void => browserStorage.set(LAST, name),
};

const SHOWN_KEY = 'shopping.menu';

/** Window of 500 px or less (specification 1, section 9). */
export function useSmall(): boolean {
  return useMediaQuery('(max-width: 500px)', undefined, { getInitialValueInEffect: false }) ?? false;
}

/** Whether the menu of lists stands: from the start where the window is wider than 500 px, unless it was hidden by hand; else as a sheet over the page. */
export function useMenu(small: boolean) {
  const [remembered] = useBrowserStorage(SHOWN_KEY);
  const [sheet, setSheet] = useState(false);
  // The sheet does not wait behind a window that was wide meanwhile.
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

/** The address of a list in this page: by the server's id, which outlives the page, as soon as there is one. */
const nameOf = ({ id, key }: ListEntry): string => (id === undefined ? key : String(id));
const named = (lists: readonly ListEntry[], name: string | null | undefined): ListEntry | undefined =>
  lists.find(({ key }) => key === name) ?? lists.find((entry) => nameOf(entry) === name);

const searchOf = (list: string, isEditing: boolean): string =>
  `?${new URLSearchParams({ list, ...(isEditing && { edit: '1' }) }).toString()}`;

/**
 * Which list is open: it stands in the address, so that a link, a reload and the browser's way back lead to it. Without one there it is the
 * last one that was open here, else the first.
 */
export function usePlace(lists: readonly ListEntry[]) {
  const { search } = useLocation();
  const navigate = useNavigate();
  const query = new URLSearchParams(search);
  const asked = query.get('list');
  const entry =
    asked === null
      ? (named(lists, shownLast.get()) ?? lists.find(({ isArchived }) => !isArchived) ?? lists[0])
      : named(lists, asked);
  const isEditing = query.get('edit') === '1';

  const go = useCallback(
    (list: string, editing: boolean, replace: boolean): void =>
      void navigate({ search: searchOf(list, editing) }, { replace, state: createNavigationState() }),
    [navigate],
  );
  const name = entry && nameOf(entry);
  useEffect(() => {
    if (name !== undefined && entry?.id !== undefined) shownLast.set(name);
    // A list that was made here has its id now.
    if (name !== undefined && asked !== null && asked !== name) go(name, isEditing, true);
  }, [name, entry?.id, asked, isEditing, go]);

  return {
    /** What `useList` is to open; undefined where there is nothing. */
    key: entry?.key ?? asked ?? undefined,
    entry,
    isEditing,
    pick: (list: string): void => {
      const next = named(lists, list);
      go(next ? nameOf(next) : list, false, false);
    },
    edit: (editing: boolean): void => {
      const open = name ?? asked;
      if (open !== null) go(open, editing, true);
    },
    /** Away from a list that is not there any more. */
    leave: (list: string): void => {
      const next = lists.find(({ key, isArchived }) => key !== list && !isArchived);
      if (next) go(nameOf(next), false, true);
      else void navigate({ search: '' }, { replace: true, state: createNavigationState() });
    },
  };
}
