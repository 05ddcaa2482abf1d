import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { decodePercent } from '#platform/contract/text.ts';
import { basePath } from '../browser/siteAddress.ts';
import { createStore, useStore } from '../store.ts';

/** The session of this page. */
export interface Session {
  readonly token: string;
  /** Empty until `tokenconv` has returned it. */
  readonly username: string;
}

const COOKIE = 'usertoken';
/** Tokens that ended while this page was open. The browser history may still contain them. */
const endedTokens = new Set<string>();
let hasLoggedOut = false;

function readCookie(): string | undefined {
  const cookie = document.cookie.split('; ').find((pair) => pair.startsWith(`${COOKIE}=`));
  return cookie === undefined ? undefined : decodePercent(cookie.slice(COOKIE.length + 1)) || undefined;
}

const storedToken = readCookie();
const store = createStore<Session | undefined>(
  storedToken === undefined ? undefined : { token: storedToken, username: '' },
);

/** Returns the session in the state of a navigation, as `useNavigateTo` and `PageLink` pass it. */
function parsePassedSession(state: unknown): Session | undefined {
  if (typeof state !== 'object' || state === null) return undefined;
  const { token, username } = state as { readonly token?: unknown; readonly username?: unknown };
  if (typeof token !== 'string' || token === '') return undefined;
  return { token, username: typeof username === 'string' ? username : '' };
}

function clearCookie(): void {
  document.cookie = `${COOKIE}=; path=${basePath || '/'}; max-age=0; SameSite=Strict`;
}

function endSession(): void {
  const current = store.get();
  if (current) endedTokens.add(current.token);
  clearCookie();
  store.set(undefined);
}

/**
 * The session of this page, set by navigation state or the cookie `usertoken`.
 * Source: docs/specification/platform.md section 2.
 */
export const session = {
  getCurrent: store.get,
  /**
   * Starts a session; with `days`, also stores its token in the cookie. Returns false if the browser did not store it.
   */
  start: (next: Session, days?: number): boolean => {
    hasLoggedOut = false;
    store.set(next);
    if (days === undefined) return true;
    const secure = location.protocol === 'https:' ? '; Secure' : '';
    document.cookie = `${COOKIE}=${encodeURIComponent(next.token)}; path=${basePath || '/'}; max-age=${days * DAY_SECONDS}; SameSite=Strict${secure}`;
    return readCookie() === next.token;
  },
  /** Uses the session of a navigation: instead of the cookie's when the page opens, later only if there is none. */
  adopt: (state: unknown, isStart: boolean): void => {
    const next = parsePassedSession(state);
    if (next === undefined || endedTokens.has(next.token) || next.token === store.get()?.token) return;
    if (isStart || store.get() === undefined) store.set(next);
  },
  /** Returns whether `adopt` would use the session of a navigation. */
  wouldAdopt: (state: unknown): boolean => {
    const next = parsePassedSession(state);
    return store.get() === undefined && next !== undefined && !endedTokens.has(next.token);
  },
  /** Sets the name that `tokenconv` returned for `token`. */
  setUsername: (token: string, username: string): void => {
    const current = store.get();
    if (current?.token === token && current.username !== username) store.set({ token, username });
  },
  getStoredToken: readCookie,
  /**
   * Removes the cookie but keeps the session of this page ('clear cookie' in docs/specification/remote.md section 1.1).
   */
  clearCookie,
  /** Ends the session and removes the cookie because the user logged out. */
  logOut: (): void => {
    hasLoggedOut = true;
    endSession();
  },
  /** Ends the session because its token is invalid. The login then returns to the page that was open. */
  expire: (): void => {
    hasLoggedOut = false;
    endSession();
  },
  /** Returns whether the last session was ended by `logOut`. */
  hasLoggedOut: (): boolean => hasLoggedOut,
  /** Returns a function that unsubscribes. */
  subscribe: store.subscribe,
};

export function useSession(): Session | undefined {
  return useStore(store);
}
