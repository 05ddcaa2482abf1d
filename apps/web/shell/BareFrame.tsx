import { Button } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import type { Page } from '#platform/contract/page.ts';
import { FrameContext } from '#platform/web/app/frame.ts';
import { BareHeader } from '#platform/web/page/BareHeader.tsx';
import { PageButton } from '#platform/web/page/PageLink.tsx';
import styles from './Fallback.module.css';

/** Any address that is no page of ours (specification 1, section 2). */
export function NotFoundPage() {
  return (
    <div className={`${styles['page']} holes`}>
      <BareHeader />
      <main className={styles['main']}>
        <div className={`${styles['card']} hung`}>
          <h1>Not Found :(</h1>
          <p>There is no page at this address.</p>
          <PageButton to="/" variant="primary">
            home
          </PageButton>
        </div>
      </main>
    </div>
  );
}

const TITLE = 'Unexpected Application Error!';

/** Stands in for a page that broke, and shows the error (specification 1, section 8). */
export function CrashPage({ error }: { readonly error: unknown }) {
  useEffect(() => {
    document.title = TITLE;
  }, []);
  return (
    <div className={styles['main']}>
      <div className={`${styles['card']} hung`} role="alert">
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

/** The page that had its arrival; that of the address the site was opened at is the browser's own. */
let last = location.pathname;

/** Sets the document's title, and on a change of page goes to its top and leads the focus to its heading, so that it is announced. */
export function usePageAnnouncement(page: Page, pathname: string): void {
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
}

/** Round pages that have only the mark and their own controls. */
export function BareFrame({ page, children }: { readonly page: Page; readonly children: ReactNode }) {
  return <FrameContext value={{ page, header: null }}>{children}</FrameContext>;
}
