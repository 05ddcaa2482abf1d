import { decodePercent } from '#platform/contract/text.ts';
import { stripBasePath } from '#platform/server/http/basePath.ts';
import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import { foldAccountName } from '#platform/server/identity/username.ts';

/** The meaning of an address below `/dav/` for a user. */
export type DavPath =
  | { readonly kind: 'root' | 'principals' | 'calendars' }
  | { readonly kind: 'principal' | 'home' | 'collection' }
  /** One event, by its resource. */
  | { readonly kind: 'object'; readonly resource: string };

/** The last segment of the only calendar's address. */
const COLLECTION = 'events';
const MAX_RESOURCE_LENGTH = 255;

/** Characters that resources may not contain: separators of segments and lines. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const INVALID_RESOURCE_PATTERN = /[\u0000-\u001F\u007F/\\]|\p{Cs}/u;

const isResource = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  name.length <= MAX_RESOURCE_LENGTH &&
  !INVALID_RESOURCE_PATTERN.test(name);

/** Returns the user's segment of an address. Names that URLs would normalize away ('.', '..') are replaced. */
const toSegment = ({ username, account }: AppPasswordUser): string =>
  /^\.\.?$/.test(username) ? `account-${account}` : encodeURIComponent(username);

const isUserSegment = (part: string, user: AppPasswordUser): boolean =>
  foldAccountName(part) === foldAccountName(user.username) || part === `account-${user.account}`;

/** Returns the user's addresses as absolute paths, below the base path. */
export function createHrefs(user: AppPasswordUser, basePath: string) {
  const segment = toSegment(user);
  const root = `${basePath}/dav/`;
  const collection = `${root}calendars/${segment}/${COLLECTION}/`;
  return {
    site: `${basePath}/`,
    root,
    principals: `${root}principals/`,
    calendars: `${root}calendars/`,
    principal: `${root}principals/${segment}/`,
    home: `${root}calendars/${segment}/`,
    collection,
    object: (resource: string): string => collection + encodeURIComponent(resource),
    /** Resolves an address that a client sent in a body. */
    parse: (address: string): DavPath | undefined => {
      const path = stripBasePath(toPath(address.trim()), basePath);
      return path === undefined ? undefined : parseDavPath(path, user);
    },
  };
}
export type Hrefs = ReturnType<typeof createHrefs>;

/** Returns the path of an address (a path, or a full URL as clients may send in a body), without query. */
function toPath(address: string): string {
  const path = /^https?:\/\/[^/]*/i.exec(address)?.[0];
  return (path === undefined ? address : address.slice(path.length)).split(/[?#]/, 1)[0] ?? '';
}

/** Returns the decoded segments of an address without a trailing empty one. Undefined if it is no absolute path. */
function splitPath(address: string): readonly string[] | undefined {
  const [first, ...parts] = toPath(address.trim()).split('/').map(decodePercent);
  if (parts.at(-1) === '') parts.pop();
  const decoded = parts.filter((part) => part !== undefined);
  return first === '' && decoded.length === parts.length ? decoded : undefined;
}

function parseCalendarPath(parts: readonly string[]): DavPath | undefined {
  const [collection, resource, ...rest] = parts;
  if (collection === undefined) return { kind: 'home' };
  if (collection !== COLLECTION || rest.length > 0) return undefined;
  if (resource === undefined) return { kind: 'collection' };
  return isResource(resource) ? { kind: 'object', resource } : undefined;
}

/** Resolves an address for a user. Returns undefined if there is nothing, or if it belongs to someone else. */
export function parseDavPath(address: string, user: AppPasswordUser): DavPath | undefined {
  const parts = splitPath(address);
  if (parts === undefined) return undefined;
  const [dav = 'dav', branch, userSegment, ...rest] = parts;
  if (dav !== 'dav') return undefined;
  if (branch === undefined) return { kind: 'root' };
  if (branch !== 'principals' && branch !== 'calendars') return undefined;
  if (userSegment === undefined) return { kind: branch };
  if (!isUserSegment(userSegment, user)) return undefined;
  if (branch === 'calendars') return parseCalendarPath(rest);
  return rest.length === 0 ? { kind: 'principal' } : undefined;
}
