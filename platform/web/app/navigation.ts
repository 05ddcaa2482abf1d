import { useNavigate } from 'react-router';
import type { WebPage } from '../tool.ts';
import { session } from './session.ts';

/**
 * State of every navigation: token and username (docs/specification/pages.md section 1.3), and for /login the page to
 * return to.
 */
export interface NavigationState {
  readonly token?: string;
  readonly username?: string;
  readonly from?: string;
}

export function createNavigationState(from?: string): NavigationState {
  return { ...session.getCurrent(), ...(from === undefined ? {} : { from }) };
}

/** Returns a function that navigates to a page of this site and passes the session on. */
export function useNavigateTo(): (
  path: string,
  options?: { readonly replace?: boolean; readonly from?: string },
) => void {
  const navigate = useNavigate();
  return (path, { replace = false, from } = {}) => void navigate(path, { replace, state: createNavigationState(from) });
}

/** Finds the page of an address. Query, fragment and a slash at the end are ignored. */
export function findPage(pages: readonly WebPage[], address: string): WebPage | undefined {
  const pathname = address.split(/[?#]/, 1)[0] ?? '';
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return pages.find((page) => page.path === path);
}

/** Returns the page to open after the login. Only addresses of this site are accepted. */
export function getReturnPath(state: unknown): string | undefined {
  const from = typeof state === 'object' && state !== null ? (state as NavigationState).from : undefined;
  return typeof from === 'string' && /^\/(?!\/)/.test(from) ? from : undefined;
}
