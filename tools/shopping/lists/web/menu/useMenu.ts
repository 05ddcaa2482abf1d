import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useState } from 'react';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';

const SHOWN_KEY = 'shopping.menu';

/** Window of 500 px or less (specification 1, section 9). */
export const useSmall = (): boolean =>
  useMediaQuery('(max-width: 500px)', undefined, { getInitialValueInEffect: false }) ?? false;

/** Whether the menu of lists stands: from the start where the window is wider than 500 px, unless it was hidden by hand; else as a sheet over the page. */
export const useMenu = (small: boolean) => {
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
};
