import { hash, randomBytes } from 'node:crypto';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import type { Caller, CookieOptions } from '../tool.ts';

const VISITOR_COOKIE = 'pb_visitor';
/** As long as data of a visitor's browser is stored. */
const MAX_AGE_SECONDS = 30 * DAY_SECONDS;
/** Lax, so that a link from another site opens a page with the cookie. It authorizes nothing. */
const COOKIE_OPTIONS: CookieOptions = { maxAgeSeconds: MAX_AGE_SECONDS, sameSite: 'Lax' };

const readVisitorCookie = (cookie: Caller['cookie']): string | undefined => cookie(VISITOR_COOKIE) || undefined;

/** Returns the key under which a visitor's data is stored. It does not reveal the cookie. */
const hashVisitor = (visitor: string): string => hash('sha256', visitor, 'base64url').slice(0, 22);

/**
 * Sets or renews the visitor cookie for 30 days, and returns the visitor key. Each page does so
 * (docs/specification/platform.md section 3.3).
 */
export function ensureVisitorCookie({ cookie, setCookie }: Pick<Caller, 'cookie' | 'setCookie'>): string {
  const visitor = readVisitorCookie(cookie) ?? randomBytes(16).toString('base64url');
  setCookie(VISITOR_COOKIE, visitor, COOKIE_OPTIONS);
  return hashVisitor(visitor);
}

/** Returns the visitor key of the calling browser, or undefined if it sends no cookie. */
export function getVisitorKey({ cookie }: Pick<Caller, 'cookie'>): string | undefined {
  const visitor = readVisitorCookie(cookie);
  return visitor === undefined ? undefined : hashVisitor(visitor);
}
