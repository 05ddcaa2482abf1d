import { formatZoneCalendar } from '../../exchange/domain/icsZone.ts';
import { type DavObject, formatEtag, formatSyncToken } from './davObjects.ts';
import type { DavPath } from './davPath.ts';
import type { DavRequest } from './davRequest.ts';
import { COLLATIONS, MAX_DATE_TIME, MIN_DATE_TIME } from './filter.ts';
import { hrefTag } from './multistatus.ts';
import { type Element, escapeXml, type Prefix, tag, type Xml } from './xml.ts';

/** Maximum size of an object, in bytes. */
export const MAX_OBJECT_BYTES = 1024 * 1024;
export const CALENDAR_TYPE = 'text/calendar; charset=utf-8; component=VEVENT';
const CALENDAR_NAME = 'Pegboard';
/** Apple's colours have an alpha channel. */
const CALENDAR_COLOUR = '#5B4BD4FF';

/** What properties are computed from: the user and the resource. */
export interface Subject {
  readonly davRequest: DavRequest;
  readonly kind: DavPath['kind'];
  readonly object?: DavObject | undefined;
  /** The object's iCalendar text. Only set if a requested property needs it. */
  readonly text?: string | undefined;
  /** The part of the text that a report requests. */
  readonly data?: string | undefined;
}

type PropertyFormatter = (subject: Subject) => Xml | Promise<Xml | undefined> | undefined;
type PropertyName = `${Prefix}:${string}`;

const formatPrivileges = (...names: readonly string[]): Xml =>
  names.map((name) => tag('d:privilege', tag(`d:${name}`))).join('');
const formatReports = (...names: readonly PropertyName[]): Xml =>
  names.map((name) => tag('d:supported-report', tag('d:report', tag(name)))).join('');
const READ_PRIVILEGES = ['read', 'read-current-user-privilege-set'] as const;
const FREE_BUSY_PRIVILEGE: Xml = tag('d:privilege', tag('c:read-free-busy'));
const WRITE_PRIVILEGES = ['write', 'write-content', 'bind', 'unbind'] as const;

const formatPrincipal: PropertyFormatter = ({ davRequest }) => hrefTag(davRequest.hrefs.principal);
const getRevision = ({ davRequest }: Subject): Promise<number> =>
  davRequest.calendar.getRevision(davRequest.user.account);

/** Formats a privilege and its parts (RFC 3744 section 5.3). */
const formatSupportedPrivilege = (name: PropertyName, description: string, ...parts: readonly Xml[]): Xml =>
  tag(
    'd:supported-privilege',
    tag('d:privilege', tag(name)),
    `<d:description xml:lang="en">${escapeXml(description)}</d:description>`,
    ...parts,
  );
const SUPPORTED_PRIVILEGES: Xml = formatSupportedPrivilege(
  'd:all',
  'Everything',
  formatSupportedPrivilege(
    'd:read',
    'Read events',
    formatSupportedPrivilege('c:read-free-busy', 'Read free and busy times'),
    formatSupportedPrivilege('d:read-current-user-privilege-set', 'Read your own permissions'),
  ),
  formatSupportedPrivilege(
    'd:write',
    'Change events',
    formatSupportedPrivilege('d:write-content', 'Change an event'),
    formatSupportedPrivilege('d:bind', 'Add events'),
    formatSupportedPrivilege('d:unbind', 'Delete events'),
  ),
);

/** Creates the only access rule: an account's calendar belongs to it, and no one can change that. */
function createAccessRule(...names: readonly PropertyName[]): PropertyFormatter {
  const granted = tag('d:grant', ...names.map((name) => tag('d:privilege', tag(name))));
  return ({ davRequest }) =>
    tag('d:ace', tag('d:principal', hrefTag(davRequest.hrefs.principal)), granted, tag('d:protected'));
}

/** Properties of every resource. */
const commonProperties: Readonly<Record<string, PropertyFormatter>> = {
  'd:current-user-principal': formatPrincipal,
  'd:principal-collection-set': ({ davRequest }) => hrefTag(davRequest.hrefs.principals),
  'd:current-user-privilege-set': () => formatPrivileges(...READ_PRIVILEGES),
  'd:resourcetype': () => tag('d:collection'),
  'd:supported-privilege-set': () => SUPPORTED_PRIVILEGES,
  'd:acl': createAccessRule('d:read'),
  'd:acl-restrictions': () => tag('d:grant-only') + tag('d:no-invert'),
  'd:inherited-acl-set': () => '',
};
/** Properties of every resource above the calendar, because clients start at any of them. */
const discoveryProperties: Readonly<Record<string, PropertyFormatter>> = {
  ...commonProperties,
  'd:displayname': () => CALENDAR_NAME,
  'd:supported-report-set': () => '',
  'c:calendar-home-set': ({ davRequest }) => hrefTag(davRequest.hrefs.home),
  'd:principal-URL': formatPrincipal,
};

/** Reports that search for objects: on the calendar, its objects, and the resources above it. */
const SEARCH_REPORTS = ['c:calendar-query', 'c:calendar-multiget'] as const;
const formatCollations: PropertyFormatter = () => COLLATIONS.map((name) => tag('c:supported-collation', name)).join('');
const searched: Readonly<Record<string, PropertyFormatter>> = {
  'c:supported-collation-set': formatCollations,
  'c:supported-calendar-data': () => '<c:calendar-data content-type="text/calendar" version="2.0"/>',
};

const folderProperties: Readonly<Record<string, PropertyFormatter>> = {
  ...discoveryProperties,
  'd:owner': formatPrincipal,
};
const homeProperties: Readonly<Record<string, PropertyFormatter>> = {
  ...folderProperties,
  'd:current-user-privilege-set': () => formatPrivileges(...READ_PRIVILEGES) + FREE_BUSY_PRIVILEGE,
  'd:supported-report-set': () => formatReports(...SEARCH_REPORTS, 'c:free-busy-query'),
  'c:supported-collation-set': formatCollations,
};

const collectionProperties: Readonly<Record<string, PropertyFormatter>> = {
  ...commonProperties,
  'd:displayname': () => CALENDAR_NAME,
  'd:owner': formatPrincipal,
  'd:resourcetype': () => tag('d:collection') + tag('c:calendar'),
  'd:current-user-privilege-set': () => formatPrivileges(...READ_PRIVILEGES, ...WRITE_PRIVILEGES) + FREE_BUSY_PRIVILEGE,
  'd:acl': createAccessRule('d:read', 'd:write'),
  'd:supported-report-set': () => formatReports(...SEARCH_REPORTS, 'c:free-busy-query', 'd:sync-collection'),
  'd:sync-token': async (subject) => escapeXml(formatSyncToken(subject.davRequest.user, await getRevision(subject))),
  'cs:getctag': async (subject) => String(await getRevision(subject)),
  'c:supported-calendar-component-set': () => '<c:comp name="VEVENT"/>',
  ...searched,
  'c:max-resource-size': () => String(MAX_OBJECT_BYTES),
  'c:min-date-time': () => MIN_DATE_TIME,
  'c:max-date-time': () => MAX_DATE_TIME,
  'c:calendar-description': ({ davRequest }) => escapeXml(`The events of ${davRequest.user.username}`),
  'c:calendar-timezone': async ({ davRequest }) =>
    escapeXml(formatZoneCalendar(await davRequest.getZone(), davRequest.now().toZonedDateTimeISO('UTC').year)),
  'ical:calendar-color': () => CALENDAR_COLOUR,
};

const formatHttpDate = (ms: number): string => new Date(ms).toUTCString();

const objectProperties: Readonly<Record<string, PropertyFormatter>> = {
  ...commonProperties,
  'd:resourcetype': () => '',
  'd:owner': formatPrincipal,
  'd:current-user-privilege-set': () => formatPrivileges(...READ_PRIVILEGES, 'write', 'write-content'),
  'd:acl': createAccessRule('d:read', 'd:write'),
  'd:supported-report-set': () => formatReports(...SEARCH_REPORTS),
  'c:supported-collation-set': formatCollations,
  'd:getetag': ({ object }) => object && escapeXml(formatEtag(object)),
  'd:getcontenttype': () => CALENDAR_TYPE,
  'd:getcontentlength': ({ text }) => (text === undefined ? undefined : String(Buffer.byteLength(text))),
  'd:getlastmodified': ({ object }) => object && formatHttpDate(object.event.edited),
  'd:creationdate': ({ object }) => object && new Date(object.event.created).toISOString(),
};
/** Formats the data of an object. Only in reports. */
const CALENDAR_DATA: PropertyFormatter = ({ data }) => (data === undefined ? undefined : escapeXml(data));

const PROPERTIES_BY_KIND: Readonly<Record<DavPath['kind'], Readonly<Record<string, PropertyFormatter>>>> = {
  root: discoveryProperties,
  principals: discoveryProperties,
  calendars: discoveryProperties,
  principal: {
    ...folderProperties,
    'd:displayname': ({ davRequest }) => escapeXml(davRequest.user.username),
    'd:resourcetype': () => tag('d:collection') + tag('d:principal'),
    'c:calendar-user-address-set': formatPrincipal,
    'd:alternate-URI-set': () => '',
    'd:group-member-set': () => '',
    'd:group-membership': () => '',
  },
  home: homeProperties,
  collection: collectionProperties,
  object: objectProperties,
};

/** The requested properties. */
export interface RequestedProperties {
  readonly kind: 'some' | 'all' | 'names';
  readonly names: readonly Element[];
}

const TEXT_PROPERTIES = new Set(['d:getcontentlength', 'c:calendar-data']);
/** Whether the text of objects is needed. */
export function needsText({ kind, names }: RequestedProperties): boolean {
  return kind === 'all' || (kind === 'some' && names.some(({ name }) => TEXT_PROPERTIES.has(name)));
}

const createElement = (name: string): Element => ({
  name,
  namespace: '',
  local: name.slice(name.indexOf(':') + 1),
  attributes: {},
  children: [],
  text: '',
});

/** Answer of `allprop`: WebDAV's own properties, and those that identify calendars. Others are requested by name. */
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

function listRequestedNames(requested: RequestedProperties, kind: DavPath['kind']): readonly Element[] {
  if (requested.kind === 'some') return requested.names;
  const elements = Object.keys(PROPERTIES_BY_KIND[kind])
    .filter((name) => requested.kind === 'names' || DEFAULT_PROPERTIES.has(name))
    .map(createElement);
  return [...elements, ...requested.names.filter(({ name }) => !elements.some((element) => element.name === name))];
}

function findProperty(kind: DavPath['kind'], name: string, isReport: boolean): PropertyFormatter | undefined {
  if (isReport && kind === 'object' && name === 'c:calendar-data') return CALENDAR_DATA;
  return Object.hasOwn(PROPERTIES_BY_KIND[kind], name) ? PROPERTIES_BY_KIND[kind][name] : undefined;
}

/** Returns the requested properties as XML, and those that don't exist. */
export async function getProperties(
  subject: Subject,
  requested: RequestedProperties,
  { isReport = false }: { readonly isReport?: boolean } = {},
): Promise<{ readonly found: readonly Xml[]; readonly missing: readonly Element[] }> {
  const result: { readonly found: Xml[]; readonly missing: Element[] } = { found: [], missing: [] };
  for (const element of listRequestedNames(requested, subject.kind)) {
    const property = findProperty(subject.kind, element.name, isReport);
    const value = requested.kind === 'names' ? '' : await property?.(subject);
    if (property === undefined || value === undefined) result.missing.push(element);
    else result.found.push(tag(element.name as PropertyName, value)); // the tables above contain this name
  }
  return result;
}
