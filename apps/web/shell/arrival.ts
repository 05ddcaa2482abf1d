import { useEffect } from 'react';
import type { Page } from '#platform/contract/page.ts';

/** The page that had its arrival; that of the address the site was opened at is the browser's own. */
let last = location.pathname;

/** Sets the document's title, and on a change of page goes to its top and leads the focus to its heading, so that it is announced. */
export const usePageAnnouncement = (page: Page, pathname: string): void => {
  useEffect(() => {
    document.title = page.title;
    if (last === pathname) return;
    last = pathname;
    document.querySelector('main')?.scrollTo(0, 0);
    const heading = document.querySelector('h1');
    // A page that put the focus into a field of its own keeps it.
    if (!heading || document.activeElement?.closest('main')) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }, [page, pathname]);
};
