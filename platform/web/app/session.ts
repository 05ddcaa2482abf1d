import { useSyncExternalStore } from 'react';
import { decodePercent } from '#platform/contract/text.ts';

/** Who is signed in on this page. */
export interface Session {
  readonly token: string;
  /** Empty until `tokenconv` has said it. */
  readonly username: string;
}

const COOKIE = 'usertoken';
const DAY_SECONDS = 86_400;
const listeners = new Set<() => void>();
/** Tokens that ended while this page was open: the history may still carry them. */
const endedTokens = new Set<string>();
let hasLoggedOut = false;

const readCookie = (): string | undefined => {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${COOKIE}=`));
  return found === undefined ? undefined : decodePercent(found.slice(COOKIE.length + 1)) || undefined;
};

const stored = readCookie();
let current: Session | undefined = stored === undefined ? undefined : { token: stored, username: '' };

const change = (next: Session | undefined): void => {
  current = next;
  for (const tell of listeners) tell();
};

/** The session that a navigation carries, as `useGo` and `PageLink` pass it. */
const parsePassedSession = (state: unknown): Session | undefined => {
  if (typeof state !== 'object' || state === null) return undefined;
  const { token, username } = state as { readonly token?: unknown; readonly username?: unknown };
  if (typeof token !== 'string' || token === '') return undefined;
  return { token, username: typeof username === 'string' ? username : '' };
};

const clearCookie = (): void => {
  document.cookie = `${COOKIE}=; path=/; max-age=0; SameSite=Strict`;
};

const forget = (): void => {
  if (current) endedTokens.add(current.token);
  clearCookie();
  change(undefined);
};

/** The signed-in session: navigation state and the cookie `usertoken` fill it (specification 1, sections 3 and 4). */
export const session = {
  getCurrent: (): Session | undefined => current,
  /** Takes over a session; `days` also keeps its token as the cookie `usertoken`. Gives false where the browser refused to keep it. */
  start: (next: Session, days?: number): boolean => {
    hasLoggedOut = false;
    change(next);
    if (days === undefined) return true;
    const secure = location.protocol === 'https:' ? '; Secure' : '';
    document.cookie = `${COOKIE}=${encodeURIComponent(next.token)}; path=/; max-age=${days * DAY_SECONDS}; SameSite=Strict${secure}`;
    return readCookie() === next.token;
  },
  /** Takes the session that a navigation carries: at the start of the page before the cookie's, later only where there is none. */
  adopt: (state: unknown, atStart: boolean): void => {
    const next = parsePassedSession(state);
    if (next === undefined || endedTokens.has(next.token) || next.token === current?.token) return;
    if (atStart || current === undefined) change(next);
  },
  /** Whether `adopt` would take over what a navigation carries. */
  wouldAdopt: (state: unknown): boolean => {
    const next = parsePassedSession(state);
    return current === undefined && next !== undefined && !endedTokens.has(next.token);
  },
  /** Puts in the name that `tokenconv` gave for `token`. */
  setUsername: (token: string, username: string): void => {
    if (current?.token === token && current.username !== username) change({ token, username });
  },
  /** The token as the cookie keeps it. */
  getStoredToken: readCookie,
  /** Removes the cookie; the session of this page goes on (specification 1, section 2: 'clear cookie'). */
  clearCookie,
  /** The person leaves: cookie and session are gone. */
  logOut: (): void => {
    hasLoggedOut = true;
    forget();
  },
  /** The token has ended by itself: the same, but the page that was open is worth coming back to. */
  expire: (): void => {
    hasLoggedOut = false;
    forget();
  },
  /** Whether the last session was left by `close`. */
  hasLoggedOut: (): boolean => hasLoggedOut,
  /** Gives back how to stop listening. */
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
};

export function useSession(): Session | undefined {
  return useSyncExternalStore(session.subscribe, session.getCurrent);
}
