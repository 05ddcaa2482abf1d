import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useState } from 'react';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';

const HIDDEN = 'calendar.dates';

/** Window under 650 px (specification 1, section 9). */
export const useSmall = (): boolean =>
  useMediaQuery('(max-width: 649.98px)', undefined, { getInitialValueInEffect: false }) ?? false;

/**
 * Whether the rails stand. A narrow window collapses them by itself; there they are a sheet over the page. A wide one shows them
 * again, unless they were hidden by hand.
 */
export const useRails = (small: boolean) => {
  const [remembered] = useBrowserStorage(HIDDEN);
  const [sheet, setSheet] = useState(false);
  // The sheet does not wait behind a window that was wide meanwhile.
  if (!small && sheet) setSheet(false);
  const setOpen = useCallback(
    (open: boolean): void => {
      if (small) setSheet(open);
      else browserStorage.set(HIDDEN, open ? 'shown' : 'hidden');
    },
    [small],
  );
  const hidden = remembered === 'hidden';
  return {
    /** In the page, beside the main place. */
    shown: !small && !hidden,
    sheet: small && sheet,
    isOpen: small ? sheet : !hidden,
    setOpen,
  };
};
