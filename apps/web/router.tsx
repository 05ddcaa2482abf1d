import { Suspense, lazy, useLayoutEffect, useState, type ComponentType } from 'react';
import { Navigate, useLocation } from 'react-router';
import type { Page } from '#platform/contract/page.ts';
import { pageAt } from '#platform/web/navigation.ts';
import { session, useSession } from '#platform/web/session.ts';
import type { WebPage } from '#platform/web/tool.ts';
import { loadOrReload } from './reload.ts';
import { useArrival } from './shell/arrival.ts';
import { BareFrame } from './shell/BareFrame.tsx';
import { CrashPage } from './shell/CrashPage.tsx';
import { ErrorBoundary } from './shell/ErrorBoundary.tsx';
import { NotFoundPage } from './shell/NotFoundPage.tsx';
import { Root } from './shell/Root.tsx';

// React Router's data router would cost 19 KB gzip of the first load; pages, their parts and their errors are few lines of our own.

const ShellFrame = lazy(() =>
  loadOrReload(() => import('./shell/ShellFrame.tsx')).then((loaded) => ({ default: loaded.ShellFrame })),
);

const notFound: Page = { path: '/', title: 'Not found', needsLogin: false, frame: 'bare' };

/** Sends visitors of a page that needs login to /login, from where they come back. */
function Guarded({ page, Drawn }: { readonly page: Page; readonly Drawn: ComponentType }) {
  const current = useSession();
  const { pathname, search, hash, state } = useLocation();
  useArrival(page, pathname);
  if (current || !page.needsLogin || page.opensWithoutToken) return <Drawn />;
  if (session.wouldAdopt(state)) return null;
  const from = session.wasLeftOnPurpose() ? {} : { from: pathname + search + hash };
  return <Navigate to="/login" replace state={from} />;
}

/** Makes the component that draws the page of the current address in its frame. */
export const makeRouted = (pages: readonly WebPage[]): ComponentType => {
  const drawn = new Map(pages.map((page) => [page.path, lazy(() => loadOrReload(page.load))]));
  return function Routed() {
    const { pathname, state } = useLocation();
    // The session that a navigation carries: before the first drawing, later as soon as the address is there.
    useState(() => session.adopt(state, true));
    useLayoutEffect(() => session.adopt(state, false), [state]);
    const page = pageAt(pages, pathname);
    const Frame = (page ?? notFound).frame === 'bare' ? BareFrame : ShellFrame;
    const Drawn = (page && drawn.get(page.path)) ?? NotFoundPage;
    return (
      <ErrorBoundary fallback={CrashPage} on={pathname}>
        <Suspense>
          <Root>
            <Frame page={page ?? notFound}>
              <ErrorBoundary fallback={CrashPage} on={pathname}>
                <Suspense>
                  <Guarded page={page ?? notFound} Drawn={Drawn} />
                </Suspense>
              </ErrorBoundary>
            </Frame>
          </Root>
        </Suspense>
      </ErrorBoundary>
    );
  };
};
