import { hash, randomBytes } from 'node:crypto';
import type { Caller, CookieOptions } from '../tool.ts';

const COOKIE = 'pb_visitor';
/** As long as what belongs to a visitor's browser is kept. */
const MAX_AGE_SECONDS = 30 * 86_400;
/** Lax: a link from another site opens a page with it, or that page would take the browser for a new one. It authorises nothing. */
const OPTIONS: CookieOptions = { maxAgeSeconds: MAX_AGE_SECONDS, sameSite: 'Lax' };

const visitorIn = (cookie: Caller['cookie']): string | undefined => cookie(COOKIE) || undefined;

/** Marks the browser for the coming 30 days, or goes on with the mark it has; gives the mark. Every page answer does so (contract.md section 2). */
export function ensureVisitorCookie({ cookie, setCookie }: Pick<Caller, 'cookie' | 'setCookie'>): string {
  const visitor = visitorIn(cookie) ?? randomBytes(16).toString('base64url');
  setCookie(COOKIE, visitor, OPTIONS);
  return hashVisitor(visitor);
}

/** What a visitor's browser is kept under: nobody who reads it could pass for that browser. */
const hashVisitor = (visitor: string): string => hash('sha256', visitor, 'base64url').slice(0, 22);

/** The browser that calls, by its mark; undefined where it sends none. */
export function getVisitorKey({ cookie }: Pick<Caller, 'cookie'>): string | undefined {
  const visitor = visitorIn(cookie);
  return visitor === undefined ? undefined : hashVisitor(visitor);
}
