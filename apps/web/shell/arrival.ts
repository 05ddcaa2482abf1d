import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import type { Page } from '#platform/contract/page.ts';

/** Sets the document's title, and on a change of page leads the focus to its heading, so that it is announced. */
export const useArrival = (page: Page): void => {
  const { pathname } = useLocation();
  const last = useRef<string>(pathname);
  useEffect(() => {
    document.title = page.title;
    if (last.current === pathname) return;
    last.current = pathname;
    const heading = document.querySelector('h1');
    // A page that put the focus into a field of its own keeps it.
    if (!heading || document.activeElement?.closest('main')) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }, [page, pathname]);
};
