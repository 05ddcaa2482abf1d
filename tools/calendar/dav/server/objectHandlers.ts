import { LAST_DAY } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import { toLocalDay } from '../../events/domain/day.ts';
import { UTC } from '../../events/domain/timeZone.ts';
import type { Author, Change } from '../../events/server/calendar.ts';
import { decodeIcs } from '../../exchange/domain/icsText.ts';
import { getTextValue } from '../../exchange/server/ics/contentLines.ts';
import { type ParsedEvent, readIcs, type ParsedIcs } from '../../exchange/server/ics/readIcs.ts';
import { type ComponentTree, parseComponentTree, listProperties, findProperty } from './componentTree.ts';
import { type DavObject, formatEtag, findObject, loadTexts } from './davObjects.ts';
import { DavError, type DavTarget } from './davRequest.ts';
import { parseCalendarObject } from './instances.ts';
import { hrefTag } from './multistatus.ts';
import { MAX_OBJECT_BYTES, CALENDAR_TYPE } from './properties.ts';
import { isSupportedRule } from './recurrence.ts';
import { escapeXml, isUtf8, tag, type Xml } from './xml.ts';

/** Parses the entity tags of a header. Weak tags count as strong, because compressing proxies make them weak. */
const parseTags = (header: string): readonly string[] =>
  Array.from(header.matchAll(/(?:W\/)?("[^"]*")|\*/g), ([whole, quoted]) => quoted ?? whole);

function includesTag(header: string, etag: string | undefined): boolean {
  const tags = parseTags(header);
  return etag !== undefined && (tags.includes('*') || tags.includes(etag));
}

/** Checks `If-Match` and `If-None-Match` against the current tag. @throws DavError 412 */
export function validateConditions(request: EndpointRequest, etag: string | undefined): void {
  const match = request.getHeader('if-match');
  if (match !== undefined && !includesTag(match, etag)) throw new DavError(412);
  const none = request.getHeader('if-none-match');
  if (none !== undefined && includesTag(none, etag)) throw new DavError(412);
}

/** Whether the client already has this version. */
export function hasCurrentVersion(request: EndpointRequest, etag: string): boolean {
  const none = request.getHeader('if-none-match');
  return none !== undefined && includesTag(none, etag);
}

/** Returns the resource of an address. @throws DavError if it is no address of an object */
export function getResource({ path }: DavTarget): string {
  if (path.kind !== 'object') throw new DavError(405);
  return path.resource;
}

export function findCurrentObject(davRequest: DavTarget): Promise<DavObject | undefined> {
  return findObject(davRequest.calendar, davRequest.user.account, getResource(davRequest));
}

/** Answers GET and HEAD. */
export async function handleGet(davRequest: DavTarget): Promise<EndpointResponse> {
  const object = await findCurrentObject(davRequest);
  if (object === undefined) throw new DavError(404);
  const etag = formatEtag(object);
  if (hasCurrentVersion(davRequest.request, etag)) return { status: 304, headers: { etag } };
  const [body = ''] = await loadTexts(davRequest, [object]);
  const modified = new Date(object.event.edited).toUTCString();
  return { status: 200, headers: { etag, 'content-type': CALENDAR_TYPE, 'last-modified': modified }, body };
}

/** Maximum number of events in an object, including changed days. */
const MAX_EVENTS_PER_OBJECT = 1000;

export interface ReadingOptions {
  /** IANA name of the account's zone. */
  readonly zone: string;
  readonly now: Temporal.Instant;
}

const createRefusal = (condition: Xml, why: string): DavError =>
  new DavError(403, condition + tag('d:responsedescription', escapeXml(why)));

const createInvalidError = (why: string): DavError => createRefusal(tag('c:valid-calendar-object-resource'), why);

async function readText(text: string, { zone, now }: ReadingOptions): Promise<ParsedIcs> {
  const { epochMilliseconds, offsetNanoseconds } = now.toZonedDateTimeISO(zone);
  const today = toLocalDay(epochMilliseconds + offsetNanoseconds / 1e6);
  try {
    return await readIcs(text, { zone, today, bytes: MAX_OBJECT_BYTES, events: MAX_EVENTS_PER_OBJECT });
  } catch (error) {
    if (error instanceof Refusal) throw createRefusal(tag('c:valid-calendar-data'), error.message);
    throw error;
  }
}

function getUid(component: ComponentTree): string {
  const property = findProperty(component, 'UID');
  return property === undefined ? '' : getTextValue(property).trim();
}

const COMPONENT_TYPES = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY', 'VAVAILABILITY', 'VPOLL']);
const DATE_PROPERTIES = new Set(['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE', 'EXDATE']);

/** Rejects dates before the first supported year. */
function validateDates(events: readonly ComponentTree[]): void {
  const dates = events.flatMap(({ properties }) => properties.filter(({ name }) => DATE_PROPERTIES.has(name)));
  if (dates.some(({ value }) => /(?:^|,)0000\d{4}(?:T|,|$)/.test(value)))
    throw createRefusal(tag('c:min-date-time'), 'The event is before the year 1');
}

/** Rejects events whose rule is not supported. @throws DavError */
function validateRules(events: readonly ComponentTree[]): void {
  const rules = events.flatMap((event) => listProperties(event, 'RRULE'));
  if (rules.some(({ value }) => /(?:^|;)RSCALE=(?!GREGORIAN)/i.test(value)))
    throw createRefusal(
      tag('c:supported-rscale'),
      'Its repeat rule uses a calendar system other than the Gregorian one',
    );
  if (!rules.every(({ value }) => isSupportedRule(value)))
    throw createRefusal(tag('c:valid-calendar-data'), 'Its repeat rule is not supported');
}

/** RFC 4791 section 4.1: an object has one component type, no `METHOD`, and one UID for all events. @throws DavError */
function validateObject(text: string): void {
  const { properties, components } = parseComponentTree(text);
  const kinds = new Set(components.map(({ name }) => name).filter((name) => COMPONENT_TYPES.has(name)));
  const events = components.filter(({ name }) => name === 'VEVENT');
  if (events.length === 0)
    throw kinds.size > 0
      ? createRefusal(tag('c:supported-calendar-component'), 'This calendar stores only events')
      : createInvalidError('The object contains no event');
  if (kinds.size > 1) throw createInvalidError('Events and other components must be in separate objects');
  if ((text.match(/^BEGIN:VCALENDAR[ \t]*\r?$/gim)?.length ?? 0) > 1)
    throw createInvalidError('The object contains several calendars');
  if (properties.some(({ name }) => name === 'METHOD')) throw createInvalidError('The object must not have a METHOD');
  const uids = new Set(events.map(getUid));
  if (uids.has('')) throw createInvalidError('The event has no UID');
  if (uids.size > 1) throw createInvalidError('Events with different UIDs must be in separate objects');
  validateDates(events);
  validateRules(events);
}

/** Whether an event ends after the last supported day. */
function isTooLate(text: string): boolean {
  const always = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
  for (const { until } of parseCalendarObject(text, UTC).series.iterateInstances(always, { left: 1 }))
    return until > (LAST_DAY + 1) * DAY_MS;
  return false;
}

const CANCELLED_PATTERN = /^STATUS:CANCELLED[ \t]*\r?$/gim;

/** Parses an object of a client: one event and the changed days of its repeat. @throws DavError */
export async function readObject(text: string, options: ReadingOptions): Promise<ParsedEvent> {
  if (text.includes('\0')) throw createRefusal(tag('c:valid-calendar-data'), 'The object contains a NUL character');
  const first = await readText(text, options);
  validateObject(text);
  // The reader rejects cancelled events, but a client wants them stored. They are treated like other events.
  const read =
    first.events.length === 0 && CANCELLED_PATTERN.test(text)
      ? await readText(text.replaceAll(CANCELLED_PATTERN, ''), options)
      : first;
  const [event, second] = read.events;
  if (event === undefined && isTooLate(text))
    throw createRefusal(tag('c:max-date-time'), 'The event ends after the year 9999');
  // Warnings come before the refusal.
  if (event === undefined) throw createInvalidError(read.problems.at(-1)?.why ?? 'The object cannot be read');
  if (second !== undefined)
    throw createInvalidError('The object has several occurrences of a repeat, but not the repeat itself');
  return event;
}

/** Converts a refusal of the calendar to a WebDAV error. */
function rethrowRefusal(error: unknown): never {
  if (!(error instanceof Refusal)) throw error;
  if (error.code === 'calendar.conflict') throw new DavError(412);
  throw new DavError(
    403,
    tag('c:valid-calendar-object-resource') + tag('d:responsedescription', escapeXml(error.message)),
  );
}

function decodeCalendarText({ request }: DavTarget): string {
  if (request.body.length > MAX_OBJECT_BYTES) throw new DavError(403, tag('c:max-resource-size'));
  const type = request.getHeader('content-type') ?? 'text/calendar';
  if (!/^\s*text\/calendar\b/i.test(type)) throw new DavError(403, tag('c:supported-calendar-data'));
  if (!isUtf8(type)) throw new DavError(403, tag('c:valid-calendar-data'));
  return decodeIcs(request.body);
}

/**
 * RFC 4791 section 5.3.2.1: a UID belongs to one object and never changes. Changed days without their repeat have a
 * date after the UID. @throws DavError
 */
async function validateUid(
  { calendar, user, hrefs }: DavTarget,
  uid: string,
  current: DavObject | undefined,
): Promise<void> {
  const events = await calendar.listByUid(user.account, [uid]);
  const other = events.find(({ resource }) => resource !== current?.event.resource);
  const isOther = current !== undefined && current.event.uid !== uid && !current.event.uid.startsWith(`${uid}-`);
  const taken = other?.resource ?? (isOther ? current.event.resource : undefined);
  if (taken !== undefined) throw new DavError(403, tag('c:no-uid-conflict', hrefTag(hrefs.object(taken))));
}

interface PutRequest {
  readonly davRequest: DavTarget;
  readonly database: Database;
  readonly author: Author;
  readonly read: ParsedEvent;
  readonly text: string;
}

const createChildChanges = (
  { overrides }: ParsedEvent,
  parent: number,
  existing: DavObject['children'],
): readonly Change[] =>
  overrides.map(({ replaces, draft }) => {
    const id = existing.find((child) => child.replaces === replaces)?.id ?? 0;
    return id === 0 ? { id, draft, parent, replaces } : { id, draft };
  });

/**
 * Changes an object: its event and changed days in one transaction, so that the event's revision covers the whole text.
 */
async function changeObject({ davRequest, database, author, read, text }: PutRequest, { event, children }: DavObject) {
  const { calendar, user } = davRequest;
  const days = new Set(read.overrides.map(({ replaces }) => replaces));
  const removedChildren = children.filter(({ replaces }) => replaces === undefined || !days.has(replaces));
  await database.transaction(async (unitOfWork) => {
    await calendar.remove(
      user.account,
      removedChildren.map(({ id }) => ({ id })),
      author,
      unitOfWork,
    );
    const changes = createChildChanges(read, event.id, children);
    // Removing changed days has changed the event.
    const seenRevision = removedChildren.length === 0 ? event.revision : undefined;
    await calendar.save(
      user.account,
      [{ id: event.id, draft: read.draft, source: text, seenRevision }, ...changes],
      author,
      unitOfWork,
    );
  });
}

async function createObject({ davRequest, database, author, read, text }: PutRequest): Promise<void> {
  const { calendar, user } = davRequest;
  const newEvent = { id: 0, draft: read.draft, uid: read.uid, resource: getResource(davRequest) };
  if (read.overrides.length === 0) {
    await calendar.save(user.account, [{ ...newEvent, source: text }], author);
    return;
  }
  await database.transaction(async (unitOfWork) => {
    const [created] = await calendar.save(user.account, [newEvent], author, unitOfWork);
    if (created === undefined) throw new Error('nothing was saved');
    const changes = createChildChanges(read, created.id, []);
    await calendar.save(
      user.account,
      [{ id: created.id, draft: read.draft, source: text }, ...changes],
      author,
      unitOfWork,
    );
  });
}

/** Answers PUT: stores an object and its exact text. Runs in the account's serial queue. */
export async function handlePut(davRequest: DavTarget, database: Database): Promise<EndpointResponse> {
  const current = await findCurrentObject(davRequest);
  validateConditions(davRequest.request, current && formatEtag(current));
  const text = decodeCalendarText(davRequest);
  const read = await readObject(text, { zone: await davRequest.getZone(), now: davRequest.now() });
  await validateUid(davRequest, read.uid, current);
  const author = { address: davRequest.request.address, by: 'caldav' } as const;
  const putRequest = { davRequest, database, author, read, text };
  try {
    await (current ? changeObject(putRequest, current) : createObject(putRequest));
  } catch (error) {
    rethrowRefusal(error);
  }
  const stored = await findCurrentObject(davRequest);
  // RFC 4791 section 5.3.4: without a tag the client reads the object again, which it must if the stored bytes differ.
  const isSame = Buffer.from(text).equals(davRequest.request.body);
  return { status: current ? 204 : 201, headers: stored && isSame ? { etag: formatEtag(stored) } : {} };
}

/** Answers DELETE: moves an event and its changed days to the bin. */
export async function handleDelete(davRequest: DavTarget): Promise<EndpointResponse> {
  if (davRequest.path.kind === 'collection') throw new DavError(403);
  const current = await findCurrentObject(davRequest);
  if (current === undefined) throw new DavError(404);
  validateConditions(davRequest.request, formatEtag(current));
  const { id, revision } = current.event;
  const author = { address: davRequest.request.address, by: 'caldav' } as const;
  try {
    await davRequest.calendar.remove(davRequest.user.account, [{ id, seenRevision: revision }], author);
  } catch (error) {
    rethrowRefusal(error);
  }
  return { status: 204 };
}
