import { useNavigate } from 'react-router';
import type { WebPage } from '../tool.ts';
import { session } from './session.ts';

/** What every navigation carries: token and username (specification 1, section 2), and for /login the page to come back to. */
export interface NavigationState {
  readonly token?: string;
  readonly username?: string;
  readonly from?: string;
}

export function createNavigationState(from?: string): NavigationState {
  return {
    ...session.getCurrent(),
    ...(from === undefined ? {} : { from }),
  };
}

/** Gives a function that goes to a page of ours and passes the session on. */
export function useNavigateTo(): (
  path: string,
  options?: { readonly replace?: boolean; readonly from?: string },
) => void {
  const navigate = useNavigate();
  return (path, { replace = false, from } = {}) => void navigate(path, { replace, state: createNavigationState(from) });
}

/** The page of an address; query, fragment and a slash at the end do not count. */
export function findPage(pages: readonly WebPage[], address: string): WebPage | undefined {
  const path = address.split(/[?#]/, 1)[0] ?? '';
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return pages.find((page) => page.path === plain);
}

/** The page to come back to after the login; only an address of ours. */
export function getReturnPath(state: unknown): string | undefined {
  const from = typeof state === 'object' && state !== null ? (state as NavigationState).from : undefined;
  return typeof from === 'string' && /^\/(?!\/)/.test(from) ? from : undefined;
}
