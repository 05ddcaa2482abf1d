import { Button } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import type { Page } from '#platform/contract/page.ts';
import { FrameContext } from '#platform/web/app/frame.ts';
import { getPagePath } from '#platform/web/browser/siteAddress.ts';
import { BareHeader } from '#platform/web/page/BareHeader.tsx';
import { PageButton } from '#platform/web/page/PageLink.tsx';
import styles from './BareFrame.module.css';

/** Shown for unknown addresses (docs/specification/pages.md section 4). */
export function NotFoundPage() {
  return (
    <div className={`${styles['page']} holes`}>
      <BareHeader />
      <main className={styles['main']}>
        <div className={`${styles['card']} surface hung`}>
          <h1>Not Found :(</h1>
          <p>There is no page at this address</p>
          <PageButton to="/" variant="primary">
            home
          </PageButton>
        </div>
      </main>
    </div>
  );
}

const TITLE = 'Unexpected Application Error!';

/** Replaces a page that failed, and shows the error (docs/specification/pages.md section 4). */
export function CrashPage({ error }: { readonly error: unknown }) {
  useEffect(() => {
    document.title = TITLE;
  }, []);
  return (
    <div className={styles['main']}>
      <div className={`${styles['card']} surface hung`} role="alert">
        <h1>{TITLE}</h1>
        <pre>{error instanceof Error ? `${error.name}: ${error.message}` : String(error)}</pre>
        <div className={styles['row']}>
          <Button variant="primary" onClick={() => location.reload()}>
            Reload
          </Button>
          <PageButton to="/">home</PageButton>
        </div>
      </div>
    </div>
  );
}

/** Path of the last announced page. The browser announces the first one. */
let lastPathname = getPagePath();

/** Sets the document title. After a navigation, scrolls to the top and focuses the heading, so that it is announced. */
export function usePageAnnouncement(page: Page, pathname: string): void {
  useEffect(() => {
    document.title = page.title;
    if (lastPathname === pathname) return;
    lastPathname = pathname;
    document.querySelector('main')?.scrollTo(0, 0);
    const heading = document.querySelector('h1');
    // Leave the focus in a field that the page focused itself.
    if (!heading || document.activeElement?.closest('main')) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }, [page, pathname]);
}

/** Frame of pages without the shell. */
export function BareFrame({ page, children }: { readonly page: Page; readonly children: ReactNode }) {
  return <FrameContext value={{ page, header: null }}>{children}</FrameContext>;
}
