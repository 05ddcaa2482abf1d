import { decodePercent } from '#platform/contract/percent.ts';
import type { CookieOptions } from '../tool.ts';

/** Reads one cookie of a `Cookie` header; the first one counts. */
export const readCookie = (header: string | undefined, name: string): string | undefined => {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at <= 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    return decodePercent(value) ?? value; // one that is not ours may not be encoded our way
  }
  return undefined;
};

/** A `Set-Cookie` line that scripts cannot read; other sites cannot make a browser send it, but for a link to a page where it is Lax. */
export const formatSetCookie = (
  name: string,
  value: string,
  { maxAgeSeconds, sameSite = 'Strict', isSecure }: CookieOptions & { readonly isSecure: boolean },
): string =>
  `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
