import { timezoneText } from '../../exchange/domain/icsZone.ts';
import { type DavObject, formatEtag, SYNC } from './davObjects.ts';
import type { DavPath } from './davPath.ts';
import type { DavRequest } from './davRequest.ts';
import { COLLATIONS, MAX_DATE_TIME, MIN_DATE_TIME } from './filter.ts';
import { hrefTag } from './multistatus.ts';
import { type Element, escapeXml, type Prefix, tag, type Xml } from './xml.ts';

/** Maximum size of an object, in bytes. */
export const OBJECT_LIMIT_BYTES = 1024 * 1024;
export const CALENDAR_TYPE = 'text/calendar; charset=utf-8; component=VEVENT';
const NAME = 'Pegboard';
/** Apple's colours have an alpha channel. */
const COLOUR = '#5B4BD4FF';

/** What properties are computed from: the user and the resource. */
export interface Subject {
  readonly davRequest: DavRequest;
  readonly kind: DavPath['kind'];
  readonly object?: DavObject | undefined;
  /** Its iCalendar text. Only set if a requested property needs it. */
  readonly text?: string | undefined;
  /** The part of the text that a report requests. */
  readonly data?: string | undefined;
}

type Property = (subject: Subject) => Xml | Promise<Xml | undefined> | undefined;
type Name = `${Prefix}:${string}`;

const privileges = (...names: readonly string[]): Xml =>
  names.map((name) => tag('d:privilege', tag(`d:${name}`))).join('');
const reports = (...names: readonly Name[]): Xml =>
  names.map((name) => tag('d:supported-report', tag('d:report', tag(name)))).join('');
const READS = ['read', 'read-current-user-privilege-set'] as const;
const FREE_BUSY: Xml = tag('d:privilege', tag('c:read-free-busy'));
const WRITES = ['write', 'write-content', 'bind', 'unbind'] as const;

const principal: Property = ({ davRequest }) => hrefTag(davRequest.hrefs.principal);
const revision = ({ davRequest }: Subject): Promise<number> => davRequest.calendar.getRevision(davRequest.user.account);

/** Formats a privilege and its parts (RFC 3744 section 5.3). */
const supportedPrivilege = (name: Name, about: string, ...parts: readonly Xml[]): Xml =>
  tag(
    'd:supported-privilege',
    tag('d:privilege', tag(name)),
    `<d:description xml:lang="en">${escapeXml(about)}</d:description>`,
    ...parts,
  );
const SUPPORTED_PRIVILEGES: Xml = supportedPrivilege(
  'd:all',
  'Everything',
  supportedPrivilege(
    'd:read',
    'Read events',
    supportedPrivilege('c:read-free-busy', 'Read free and busy times'),
    supportedPrivilege('d:read-current-user-privilege-set', 'Read your own permissions'),
  ),
  supportedPrivilege(
    'd:write',
    'Change events',
    supportedPrivilege('d:write-content', 'Change an event'),
    supportedPrivilege('d:bind', 'Add events'),
    supportedPrivilege('d:unbind', 'Delete events'),
  ),
);

/** The only access rule: an account's calendar belongs to it, and no one can change that. */
const accessRule = (...names: readonly Name[]): Property => {
  const granted = tag('d:grant', ...names.map((name) => tag('d:privilege', tag(name))));
  return ({ davRequest }) =>
    tag('d:ace', tag('d:principal', hrefTag(davRequest.hrefs.principal)), granted, tag('d:protected'));
};

/** Properties of every resource. */
const common: Readonly<Record<string, Property>> = {
  'd:current-user-principal': principal,
  'd:principal-collection-set': () => hrefTag('/dav/principals/'),
  'd:current-user-privilege-set': () => privileges(...READS),
  'd:resourcetype': () => tag('d:collection'),
  'd:supported-privilege-set': () => SUPPORTED_PRIVILEGES,
  'd:acl': accessRule('d:read'),
  'd:acl-restrictions': () => tag('d:grant-only') + tag('d:no-invert'),
  'd:inherited-acl-set': () => '',
};
/** Properties of every resource above the calendar, because clients start at any of them. */
const discoveryProperties: Readonly<Record<string, Property>> = {
  ...common,
  'd:displayname': () => NAME,
  'd:supported-report-set': () => '',
  'c:calendar-home-set': ({ davRequest }) => hrefTag(davRequest.hrefs.home),
  'd:principal-URL': principal,
};

/** Reports that search for objects: on the calendar, its objects, and the resources above it. */
const SEARCHES = ['c:calendar-query', 'c:calendar-multiget'] as const;
const collations: Property = () => COLLATIONS.map((name) => tag('c:supported-collation', name)).join('');
const searched: Readonly<Record<string, Property>> = {
  'c:supported-collation-set': collations,
  'c:supported-calendar-data': () => '<c:calendar-data content-type="text/calendar" version="2.0"/>',
};

const folder: Readonly<Record<string, Property>> = { ...discoveryProperties, 'd:owner': principal };
const home: Readonly<Record<string, Property>> = {
  ...folder,
  'd:current-user-privilege-set': () => privileges(...READS) + FREE_BUSY,
  'd:supported-report-set': () => reports(...SEARCHES, 'c:free-busy-query'),
  'c:supported-collation-set': collations,
};

const collection: Readonly<Record<string, Property>> = {
  ...common,
  'd:displayname': () => NAME,
  'd:owner': principal,
  'd:resourcetype': () => tag('d:collection') + tag('c:calendar'),
  'd:current-user-privilege-set': () => privileges(...READS, ...WRITES) + FREE_BUSY,
  'd:acl': accessRule('d:read', 'd:write'),
  'd:supported-report-set': () => reports(...SEARCHES, 'c:free-busy-query', 'd:sync-collection'),
  'd:sync-token': async (subject) => escapeXml(SYNC.write(subject.davRequest.user, await revision(subject))),
  'cs:getctag': async (subject) => String(await revision(subject)),
  'c:supported-calendar-component-set': () => '<c:comp name="VEVENT"/>',
  ...searched,
  'c:max-resource-size': () => String(OBJECT_LIMIT_BYTES),
  'c:min-date-time': () => MIN_DATE_TIME,
  'c:max-date-time': () => MAX_DATE_TIME,
  'c:calendar-description': ({ davRequest }) => escapeXml(`The events of ${davRequest.user.username}`),
  'c:calendar-timezone': async ({ davRequest }) =>
    escapeXml(timezoneText(await davRequest.zone(), davRequest.now().toZonedDateTimeISO('UTC').year)),
  'ical:calendar-color': () => COLOUR,
};

const httpDate = (ms: number): string => new Date(ms).toUTCString();

const object: Readonly<Record<string, Property>> = {
  ...common,
  'd:resourcetype': () => '',
  'd:owner': principal,
  'd:current-user-privilege-set': () => privileges(...READS, 'write', 'write-content'),
  'd:acl': accessRule('d:read', 'd:write'),
  'd:supported-report-set': () => reports(...SEARCHES),
  'c:supported-collation-set': collations,
  'd:getetag': ({ object: one }) => one && escapeXml(formatEtag(one)),
  'd:getcontenttype': () => CALENDAR_TYPE,
  'd:getcontentlength': ({ text }) => (text === undefined ? undefined : String(Buffer.byteLength(text))),
  'd:getlastmodified': ({ object: one }) => one && httpDate(one.event.edited),
  'd:creationdate': ({ object: one }) => one && new Date(one.event.created).toISOString(),
};
/** Only in reports. */
const CALENDAR_DATA: Property = ({ data }) => (data === undefined ? undefined : escapeXml(data));

const KINDS: Readonly<Record<DavPath['kind'], Readonly<Record<string, Property>>>> = {
  root: discoveryProperties,
  principals: discoveryProperties,
  calendars: discoveryProperties,
  principal: {
    ...folder,
    'd:displayname': ({ davRequest }) => escapeXml(davRequest.user.username),
    'd:resourcetype': () => tag('d:collection') + tag('d:principal'),
    'c:calendar-user-address-set': principal,
    'd:alternate-URI-set': () => '',
    'd:group-member-set': () => '',
    'd:group-membership': () => '',
  },
  home,
  collection,
  object,
};

/** The requested properties. */
export type RequestedProperties =
  | { readonly kind: 'some'; readonly names: readonly Element[] }
  | { readonly kind: 'all' | 'names'; readonly names: readonly Element[] };

const NEED_TEXT = new Set(['d:getcontentlength', 'c:calendar-data']);
/** Whether the text of objects is needed. */
export function needsText({ kind, names }: RequestedProperties): boolean {
  return kind === 'all' || (kind === 'some' && names.some(({ name }) => NEED_TEXT.has(name)));
}

const named = (name: string): Element => ({
  name,
  namespace: '',
  local: name.slice(name.indexOf(':') + 1),
  attributes: {},
  children: [],
  text: '',
});

/**
 * Answer of `allprop`: WebDAV's own properties, and those that identify calendars. All others must be requested by
 * name.
 */
const DEFAULT_PROPERTIES = new Set([
  'd:creationdate',
  'd:displayname',
  'd:getcontentlength',
  'd:getcontenttype',
  'd:getetag',
  'd:getlastmodified',
  'd:resourcetype',
  'cs:getctag',
  'ical:calendar-color',
]);

const asNames = (requested: RequestedProperties, kind: DavPath['kind']): readonly Element[] => {
  if (requested.kind === 'some') return requested.names;
  const every = Object.keys(KINDS[kind])
    .filter((name) => requested.kind === 'names' || DEFAULT_PROPERTIES.has(name))
    .map(named);
  return [...every, ...requested.names.filter(({ name }) => !every.some((one) => one.name === name))];
};

const findProperty = (kind: DavPath['kind'], name: string, isReport: boolean): Property | undefined => {
  if (isReport && kind === 'object' && name === 'c:calendar-data') return CALENDAR_DATA;
  return Object.hasOwn(KINDS[kind], name) ? KINDS[kind][name] : undefined;
};

/** Returns the requested properties as XML, and those that don't exist. */
export async function getProperties(
  subject: Subject,
  requested: RequestedProperties,
  { isReport = false }: { readonly isReport?: boolean } = {},
): Promise<{ readonly found: readonly Xml[]; readonly missing: readonly Element[] }> {
  const result: { readonly found: Xml[]; readonly missing: Element[] } = { found: [], missing: [] };
  for (const element of asNames(requested, subject.kind)) {
    const property = findProperty(subject.kind, element.name, isReport);
    const value = requested.kind === 'names' ? '' : await property?.(subject);
    if (property === undefined || value === undefined) result.missing.push(element);
    else result.found.push(tag(element.name as Name, value)); // the tables above contain this name
  }
  return result;
}
