import type { ComponentType } from 'react';
import { Navigate, createBrowserRouter, useLocation, type RouteObject } from 'react-router';
import { session, useSession } from '#platform/web/session.ts';
import type { WebPage } from '#platform/web/tool.ts';
import { loadOrReload } from './reload.ts';
import { BareFrame } from './shell/BareFrame.tsx';
import { CrashPage } from './shell/CrashPage.tsx';
import { NotFoundPage } from './shell/NotFoundPage.tsx';
import { Root } from './shell/Root.tsx';

/** Sends visitors of a page that needs login to /login, from where they come back. */
const guarded = (page: WebPage, Drawn: ComponentType): ComponentType =>
  function Guarded() {
    const current = useSession();
    const { pathname, search, hash } = useLocation();
    if (page.needsLogin && !page.opensWithoutToken && current === undefined)
      return <Navigate to="/login" replace state={{ from: pathname + search + hash }} />;
    return <Drawn />;
  };

const route = (page: WebPage): RouteObject => ({
  path: page.path,
  handle: page,
  lazy: async () => ({ Component: guarded(page, (await loadOrReload(page.load)).default) }),
  errorElement: <CrashPage />,
});

const notFound = { path: '*', title: 'Not found', needsLogin: false };

/** The routes of all pages in their frames. The session that a navigation carries is taken over before anything is drawn. */
export const makeRouter = (pages: readonly WebPage[]): ReturnType<typeof createBrowserRouter> => {
  const inShell = pages.filter((page) => page.frame !== 'bare');
  const bare = pages.filter((page) => page.frame === 'bare');
  const router = createBrowserRouter([
    {
      element: <Root />,
      errorElement: <CrashPage />,
      hydrateFallbackElement: <div />,
      children: [
        {
          lazy: async () => ({
            Component: (await loadOrReload(() => import('./shell/ShellFrame.tsx'))).ShellFrame,
          }),
          children: inShell.map(route),
        },
        {
          element: <BareFrame />,
          children: [...bare.map(route), { path: '*', handle: notFound, element: <NotFoundPage /> }],
        },
      ],
    },
  ]);
  session.adopt(router.state.location.state, true);
  router.subscribe(({ location }) => session.adopt(location.state, false));
  return router;
};
