import { decodePercent } from '#platform/contract/text.ts';
import type { CookieOptions } from '../tool.ts';

/** Reads one cookie of a `Cookie` header; the first one counts. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at <= 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    return decodePercent(value) ?? value; // one that is not ours may not be encoded our way
  }
  return undefined;
}

/** A `Set-Cookie` line that scripts cannot read; other sites cannot make a browser send it, but for a link to a page where it is Lax. */
export function formatSetCookie(
  name: string,
  value: string,
  { maxAgeSeconds, sameSite = 'Strict', isSecure }: CookieOptions & { readonly isSecure: boolean },
): string {
  return `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
}

/** Headers of every answer, word by word as reliability.md section 3 has them. */
type Headers = Readonly<Record<string, string>>;

/** What a page of ours may use itself; everything else is off, for us and for whoever would frame us. */
const OWN_FEATURES = [
  'accelerometer',
  'gyroscope',
  'fullscreen',
  'autoplay',
  'screen-wake-lock',
  'clipboard-read',
  'clipboard-write',
  'picture-in-picture',
  'web-share',
  'publickey-credentials-get',
  'publickey-credentials-create',
];
const DENIED_FEATURES = [
  'ambient-light-sensor',
  'bluetooth',
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

/** The policy of pages and of their scripts (a worker obeys the policy that its own file came with). */
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

/** What is no page of ours runs nothing and shows nothing, even opened by its own address. */
const DATA_CSP = "default-src 'none'; sandbox; frame-ancestors 'none'";

/** On every answer. A page replaces the policy by its own. */
export const commonHeaders: Headers = {
  'content-security-policy': DATA_CSP,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': permissionsPolicy,
};

/** Of what pages of every site may read (`Endpoint.anyOrigin`), instead of those. */
export const anyOriginHeaders: Headers = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};

export const HSTS = 'max-age=31536000';
