import type { QueryClient } from '@tanstack/react-query';
import { Suspense, lazy, useLayoutEffect, useState, type ComponentProps, type ComponentType } from 'react';
import { Navigate, useLocation } from 'react-router';
import type { Page } from '#platform/contract/page.ts';
import { findPage } from '#platform/web/app/navigation.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { getPagePath } from '#platform/web/browser/siteAddress.ts';
import type { LoadedPage, WebPage } from '#platform/web/tool.ts';
import { loadOrReload } from './loadOrReload.ts';
import { usePageAnnouncement, BareFrame, CrashPage, NotFoundPage } from './shell/BareFrame.tsx';
import { ErrorBoundary } from './shell/ErrorBoundary.tsx';
import { Root } from './shell/Root.tsx';

// React Router's data router would add 19 KB gzip to the first load, and we need little of it.

type LoadedPart<Props> = Pick<LoadedPage, 'prefetch'> & { readonly default: ComponentType<Props> };

/** Creates a part of the site that is loaded once. It renders immediately if it is prepared, and otherwise suspends. */
function createPart<Props>(load: () => Promise<LoadedPart<Props>>) {
  let loading: Promise<LoadedPart<Props>> | undefined;
  let loaded: ComponentType<Props> | undefined;
  let rendered: ComponentType<Props> | undefined;
  const loadOnce = (): Promise<LoadedPart<Props>> => (loading ??= loadOrReload(load));
  return {
    prepare: async (): Promise<LoadedPart<Props>> => {
      const part = await loadOnce();
      loaded = part.default;
      return part;
    },
    // Always the same component after the first render; another one would reset the state below it.
    get Component(): ComponentType<Props> {
      return (rendered ??= loaded ?? lazy(loadOnce));
    },
  };
}

const shellFrame = createPart<ComponentProps<typeof BareFrame>>(() =>
  import('./shell/ShellFrame.tsx').then(({ ShellFrame }) => ({ default: ShellFrame })),
);

const NOT_FOUND_PAGE: Page = { path: '/', title: 'Not found', needsLogin: false, frame: 'bare' };

/** Redirects visitors of a page that needs a session to /login, which returns to the page. */
function GuardedPage({ page, Component }: { readonly page: Page; readonly Component: ComponentType }) {
  const current = useSession();
  const { pathname, search, hash, state } = useLocation();
  usePageAnnouncement(page, pathname);
  if (current || !page.needsLogin || page.opensWithoutToken) return <Component />;
  if (session.wouldAdopt(state)) return null;
  // After a logout, another page is about to be rendered.
  if (getPagePath() !== pathname) return null;
  const from = session.hasLoggedOut() ? {} : { from: pathname + search + hash };
  return <Navigate to="/login" replace state={from} />;
}

/**
 * Creates the component that renders the current page in its frame, and a function that loads both before the first
 * render.
 */
export function createRouter(pages: readonly WebPage[], queryClient: QueryClient) {
  const parts = new Map(pages.map((page) => [page.path, createPart(page.load)]));
  async function prepare(pathname: string): Promise<void> {
    const page = findPage(pages, pathname);
    const isBare = (page ?? NOT_FOUND_PAGE).frame === 'bare';
    const loading = page && parts.get(page.path)?.prepare();
    await Promise.all([
      loading?.then(({ prefetch }) => prefetch?.(queryClient)),
      isBare ? undefined : shellFrame.prepare(),
    ]);
  }
  function CurrentPage() {
    const { pathname, state } = useLocation();
    // Adopt the session of a navigation before the first render, and later whenever the address changes.
    useState(() => session.adopt(state, true));
    useLayoutEffect(() => session.adopt(state, false), [state]);
    const page = findPage(pages, pathname);
    const Frame = (page ?? NOT_FOUND_PAGE).frame === 'bare' ? BareFrame : shellFrame.Component;
    const Component = (page && parts.get(page.path)?.Component) ?? NotFoundPage;
    return (
      <ErrorBoundary fallback={CrashPage} resetKey={pathname}>
        <Suspense>
          <Root>
            <Frame page={page ?? NOT_FOUND_PAGE}>
              <ErrorBoundary fallback={CrashPage} resetKey={pathname}>
                <Suspense>
                  <GuardedPage page={page ?? NOT_FOUND_PAGE} Component={Component} />
                </Suspense>
              </ErrorBoundary>
            </Frame>
          </Root>
        </Suspense>
      </ErrorBoundary>
    );
  }
  return { CurrentPage, prepare };
}
