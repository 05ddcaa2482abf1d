import { decodePercent } from '#platform/contract/text.ts';
import type { CookieOptions } from '../tool.ts';

/** Reads a cookie from a `Cookie` header. The first one with the name wins. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const separator = pair.indexOf('=');
    if (separator <= 0 || pair.slice(0, separator).trim() !== name) continue;
    const value = pair.slice(separator + 1).trim();
    return decodePercent(value) ?? value; // cookies of other programs may not be percent-encoded
  }
  return undefined;
}

/**
 * Formats `Set-Cookie`. Scripts cannot read the cookie.
 * Other sites cannot make a browser send it, except by links if `sameSite` is Lax.
 */
export function formatSetCookie(
  name: string,
  value: string,
  {
    maxAgeSeconds,
    sameSite = 'Strict',
    isSecure,
    basePath,
  }: CookieOptions & { readonly isSecure: boolean; readonly basePath: string },
): string {
  return `${name}=${encodeURIComponent(value)}; Path=${basePath || '/'}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
}

/** Cuts the `User-Agent` to the length that is stored. */
export function truncateUserAgent(userAgent: string | undefined): string {
  return (userAgent ?? '').slice(0, 300);
}

/** Response headers by name; docs/security.md explains them. */
type Headers = Readonly<Record<string, string>>;

/** Browser features that our own pages may use. All others are off, also for embedding pages. */
const OWN_FEATURES = [
  'accelerometer',
  'gyroscope',
  'fullscreen',
  'autoplay',
  'screen-wake-lock',
  'clipboard-read',
  'clipboard-write',
  'picture-in-picture',
  'publickey-credentials-get',
  'publickey-credentials-create',
];
const DENIED_FEATURES = [
  'browsing-topics',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];

const permissionsPolicy = [
  ...OWN_FEATURES.map((feature) => `${feature}=(self)`),
  ...DENIED_FEATURES.map((feature) => `${feature}=()`),
].join(', ');

/** Builds the CSP of pages and scripts. A worker obeys the policy that came with its own file. */
export function buildPageCsp(nonce?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

/** CSP of responses that are not pages: they run and show nothing, even if a user opens their address. */
const DATA_CSP = "default-src 'none'; sandbox; frame-ancestors 'none'";

/** Headers of each response. A page replaces the CSP with its own. */
export const commonHeaders: Headers = {
  'content-security-policy': DATA_CSP,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': permissionsPolicy,
};

/** Headers that replace common ones for responses that any site may read (`Endpoint.anyOrigin`). */
export const anyOriginHeaders: Headers = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};

export const HSTS = 'max-age=31536000';
