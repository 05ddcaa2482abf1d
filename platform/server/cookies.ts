import type { CookieOptions } from './tool.ts';

/** Reads one cookie of a `Cookie` header; the first one counts. */
export const readCookie = (header: string | undefined, name: string): string | undefined => {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return decoded(pair.slice(at + 1).trim());
  }
  return undefined;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not written by us, so not encoded our way
  }
};

/** A `Set-Cookie` line that scripts cannot read; other sites cannot make a browser send it, but for a link to a page where it is Lax. */
export const cookieLine = (
  name: string,
  value: string,
  { maxAgeSeconds, sameSite = 'Strict', isSecure }: CookieOptions & { readonly isSecure: boolean },
): string =>
  `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
