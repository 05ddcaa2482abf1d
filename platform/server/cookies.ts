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

/** A `Set-Cookie` line that scripts cannot read and other sites cannot make a browser send. */
export const cookieLine = (
  name: string,
  value: string,
  { maxAgeSeconds, isSecure }: CookieOptions & { readonly isSecure: boolean },
): string =>
  `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
