import { decodePercent } from '#platform/contract/text.ts';
import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import { foldAccountName } from '#platform/server/identity/username.ts';

/** What an address below `/dav/` means to the one who asks. */
export type DavPath =
  | { readonly kind: 'root' | 'principals' | 'calendars' }
  | { readonly kind: 'principal' | 'home' | 'collection' }
  /** One event, by its resource's name. */
  | { readonly kind: 'object'; readonly resource: string };

/** The last part of the address of the one calendar that there is. */
const COLLECTION = 'events';
const RESOURCE_LIMIT = 255;

/** Characters that names of resources may not have: what separates parts and lines. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNFIT = /[\u0000-\u001F\u007F/\\]|\p{Cs}/u;

const isResource = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && name.length <= RESOURCE_LIMIT && !UNFIT.test(name);

/** The part of an address that stands for the user. Names that an address would swallow ('.', '..') have another one. */
const segmentOf = ({ username, account }: AppPasswordUser): string =>
  /^\.\.?$/.test(username) ? `account-${account}` : encodeURIComponent(username);

const isOwn = (part: string, user: AppPasswordUser): boolean =>
  foldAccountName(part) === foldAccountName(user.username) || part === `account-${user.account}`;

/** Addresses of the user's own places, absolute paths. */
export function hrefsOf(user: AppPasswordUser) {
  const own = segmentOf(user);
  const collection = `/dav/calendars/${own}/${COLLECTION}/`;
  return {
    principal: `/dav/principals/${own}/`,
    home: `/dav/calendars/${own}/`,
    collection,
    object: (resource: string): string => collection + encodeURIComponent(resource),
  };
}
export type Hrefs = ReturnType<typeof hrefsOf>;

/** Path of an address (a path, or a whole URL as clients may write in a body), without query. */
const pathOf = (address: string): string => {
  const path = /^https?:\/\/[^/]*/i.exec(address)?.[0];
  return (path === undefined ? address : address.slice(path.length)).split(/[?#]/, 1)[0] ?? '';
};

/** Parts of the address, decoded, the empty one at its end left out; undefined where it is no absolute path. */
const partsOf = (address: string): readonly string[] | undefined => {
  const [first, ...parts] = pathOf(address.trim()).split('/').map(decodePercent);
  if (parts.at(-1) === '') parts.pop();
  const known = parts.filter((part) => part !== undefined);
  return first === '' && known.length === parts.length ? known : undefined;
};

const inCalendars = (parts: readonly string[]): DavPath | undefined => {
  const [collection, resource, ...rest] = parts;
  if (collection === undefined) return { kind: 'home' };
  if (collection !== COLLECTION || rest.length > 0) return undefined;
  if (resource === undefined) return { kind: 'collection' };
  return isResource(resource) ? { kind: 'object', resource } : undefined;
};

/** What the address is to this user: undefined where there is nothing, or another's, which is the same. A slash at the end makes no difference. */
export function placeOf(address: string, user: AppPasswordUser): DavPath | undefined {
  const parts = partsOf(address);
  if (parts === undefined) return undefined;
  const [dav = 'dav', branch, own, ...rest] = parts;
  if (dav !== 'dav') return undefined;
  if (branch === undefined) return { kind: 'root' };
  if (branch !== 'principals' && branch !== 'calendars') return undefined;
  if (own === undefined) return { kind: branch };
  if (!isOwn(own, user)) return undefined;
  if (branch === 'calendars') return inCalendars(rest);
  return rest.length === 0 ? { kind: 'principal' } : undefined;
}
