import { FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import type { CalendarEvent } from '../../events/domain/event.ts';
import { findNamedZone, UTC, type Zone } from '../../events/domain/timeZone.ts';
import { describedZone } from '../../exchange/server/ics/zones.ts';
import type { Budget } from '../../repeat/domain/recurrenceRule.ts';
import { createExpansionBudget, readDataRequest, tooManyMatches } from './calendarData.ts';
import { formatComponentTree, parseComponentTree, findProperty } from './componentTree.ts';
import { type DavObject, inBatches, loadObjects, loadTexts, iterateObjects, findObject } from './davObjects.ts';
import { parseDavPath } from './davPath.ts';
import { DavError, type DavTarget, wantsMinimal } from './davRequest.ts';
import {
  type ComponentFilter,
  matchesEverything,
  matchesNothing,
  rangeOfEvents,
  readFilter,
  listUidMatches,
  type TimeRange,
} from './filter.ts';
import { matchesFilter, matchesText } from './filterMatch.ts';
import { createCalendarObject, OBJECT_BUDGET, type CalendarObject } from './instances.ts';
import { multistatus, statusResponse } from './multistatus.ts';
import { formatObjectResponses, type ObjectResponse, parseRequestedProperties } from './propfind.ts';
import { findChild, type Element, tag, type Xml } from './xml.ts';

/** The objects that a report covers: the whole calendar, one object, or nothing. */
export type ReportScope =
  | { readonly kind: 'calendar' | 'nothing' }
  | { readonly kind: 'object'; readonly object: DavObject };

/**
 * Returns the scope of a report. The calendar is searched at any depth, resources above it if the depth reaches the
 * calendar. The first CalDAV server did this, and clients expect it.
 * @throws DavError if there is no such report
 */
export async function readScope(davRequest: DavTarget): Promise<ReportScope> {
  const { place, request, calendar, user } = davRequest;
  const depth = request.getHeader('depth')?.trim().toLowerCase() ?? '0';
  if (!['0', '1', 'infinity'].includes(depth)) throw new DavError(400);
  if (place.kind === 'object') {
    const object = await findObject(calendar, user.account, place.resource);
    if (object === undefined) throw new DavError(404);
    return { kind: 'object', object };
  }
  if (place.kind !== 'home' && place.kind !== 'collection') throw new DavError(403, tag('d:supported-report'));
  return { kind: place.kind === 'collection' || depth !== '0' ? 'calendar' : 'nothing' };
}

/** Extra days around a range, because the zones of events and dates are not known yet. */
const SLACK_DAYS = 2;

const toDays = ({ start, end }: TimeRange): readonly [from: Day, until: Day] => [
  Math.max(FIRST_DAY, Math.floor(start / DAY_MS) - SLACK_DAYS),
  Math.min(LAST_DAY, Math.ceil(end / DAY_MS) + SLACK_DAYS),
];

/** Iterates over events that may overlap a range. A changed day is returned as its repeat. */
async function* eventsAround({ calendar, user }: DavTarget, range: TimeRange): AsyncGenerator<CalendarEvent, void> {
  const seenIds = new Set<number>();
  const near = await calendar.listBetween(user.account, ...toDays(range));
  const ruled = await calendar.listWithForeignRule(user.account);
  for (const event of [...near, ...ruled]) {
    const id = event.parent ?? event.id;
    if (seenIds.has(id)) continue;
    seenIds.add(id);
    const whole = event.parent === undefined ? event : await calendar.read(user.account, event.parent);
    if (whole) yield whole;
  }
}

/** Iterates over objects in batches. With a range, over those that may overlap it, and some others. */
export async function* iterateObjectsNear(
  davRequest: DavTarget,
  range: TimeRange | undefined,
): AsyncGenerator<readonly DavObject[], void> {
  const { calendar, user } = davRequest;
  if (range === undefined) return yield* iterateObjects(calendar, user.account);
  for await (const events of inBatches(eventsAround(davRequest, range)))
    yield await loadObjects(calendar, user.account, events);
}

/** Returns the zone of the account's dates and floating times. */
export async function homeZone({ zone }: DavTarget): Promise<Zone> {
  return findNamedZone(await zone()) ?? UTC;
}

/** Returns the zone of a query (RFC 4791 section 9.8, or by name, RFC 7809), or else the home zone. @throws DavError */
const zoneOfQuery = async (davRequest: DavTarget, report: Element): Promise<Zone> => {
  const name = findChild(report, 'c:timezone-id')?.text.trim();
  if (name !== undefined) {
    const zone = findNamedZone(name);
    if (zone === undefined) throw new DavError(403, tag('c:valid-timezone'));
    return zone;
  }
  const written = findChild(report, 'c:timezone')?.text;
  if (written === undefined) return homeZone(davRequest);
  const calendar = parseComponentTree(written);
  const [described, second] = calendar.components;
  const isWhole = ['VERSION', 'PRODID'].every((one) => findProperty(calendar, one));
  const isZone = isWhole && described?.name === 'VTIMEZONE' && second === undefined;
  const zone = isZone ? describedZone(formatComponentTree(described)) : undefined;
  if (zone === undefined) throw new DavError(403, tag('c:valid-calendar-data'));
  return zone;
};

/** Returns what a report shows of each object. @throws DavError for unsupported data */
export async function parseReportedData(
  davRequest: DavTarget,
  report: Element,
  floating?: Zone,
): Promise<ObjectResponse> {
  const requested = parseRequestedProperties(report);
  const request = readDataRequest(requested.names.find(({ name }) => name === 'c:calendar-data'));
  const zone = floating ?? (await homeZone(davRequest));
  const data = request && { request, floating: zone, budget: createExpansionBudget() };
  return { requested, isReport: true, isMinimal: wantsMinimal(davRequest), data };
}

/** Days and steps of repeats that one report may check. */
const REPORT_BUDGET = 20_000_000;

/** Parses objects for one report, within its budget. */
export function createObjectReader(floating: Zone) {
  const budget: Budget = { left: REPORT_BUDGET };
  return <Result>(text: string, read: (object: CalendarObject) => Result): Result => {
    if (budget.left <= 0) throw tooManyMatches();
    const object = createCalendarObject(text, floating);
    const result = read(object);
    budget.left -= OBJECT_BUDGET - object.budget.left;
    return result;
  };
}

interface Search {
  readonly filter: ComponentFilter;
  readonly read: ReturnType<typeof createObjectReader>;
}

const matching = async (
  davRequest: DavTarget,
  objects: readonly DavObject[],
  { filter, read }: Search,
): Promise<readonly DavObject[]> => {
  if (matchesEverything(filter)) return objects;
  const uids = listUidMatches(filter);
  const named = objects.filter(({ event }) => uids.every((match) => matchesText(event.uid, match)));
  const texts = named.length === 0 ? [] : await loadTexts(davRequest, named);
  return named.filter((_object, at) => read(texts[at] ?? '', (object) => matchesFilter(object, filter)));
};

const isExpanding = ({ data }: ObjectResponse): boolean => data?.request.expand !== undefined;

/** Collects all parts before answering if a limit can still be exceeded by the last one. */
const respond = async (
  parts: AsyncGenerator<Xml, void>,
  responseOptions: ObjectResponse,
): Promise<EndpointResponse> => {
  if (!isExpanding(responseOptions)) return multistatus(parts, responseOptions.isMinimal);
  const all: Xml[] = [];
  for await (const piece of parts) all.push(piece);
  return multistatus(all, responseOptions.isMinimal);
};

/** RFC 4791 section 7.8. */
export async function calendarQuery(davRequest: DavTarget, report: Element): Promise<EndpointResponse> {
  const scope = await readScope(davRequest);
  const filter = readFilter(findChild(report, 'c:filter'));
  const floating = await zoneOfQuery(davRequest, report);
  const responseOptions = await parseReportedData(davRequest, report, floating);
  const search = { filter, read: createObjectReader(floating) };
  const parts = async function* () {
    if (scope.kind === 'nothing' || matchesNothing(filter)) return;
    const all = scope.kind === 'object' ? [[scope.object]] : iterateObjectsNear(davRequest, rangeOfEvents(filter));
    for await (const objects of all)
      yield await formatObjectResponses(davRequest, await matching(davRequest, objects, search), responseOptions);
  };
  return respond(parts(), responseOptions);
}

/** RFC 4791 section 7.9. */
export async function calendarMultiget(davRequest: DavTarget, report: Element): Promise<EndpointResponse> {
  const { calendar, user, place } = davRequest;
  await readScope(davRequest);
  const responseOptions = await parseReportedData(davRequest, report);
  const hrefs = new Set(report.children.filter(({ name }) => name === 'd:href').map(({ text }) => text.trim()));
  if (hrefs.size === 0) throw new DavError(400);
  const parseResource = (href: string): string | undefined => {
    const target = parseDavPath(href, user);
    if (target?.kind !== 'object') return undefined;
    return place.kind === 'object' && place.resource !== target.resource ? undefined : target.resource;
  };
  const parts = async function* () {
    for await (const batch of inBatches(hrefs)) {
      const resources = batch.map(parseResource);
      const events = await calendar.listByResource(user.account, [
        ...new Set(resources.filter((one) => one !== undefined)),
      ]);
      yield await formatObjectResponses(davRequest, await loadObjects(calendar, user.account, events), responseOptions);
      const existing = new Set(events.map(({ resource }) => resource));
      for (const [at, href] of batch.entries()) if (!existing.has(resources[at] ?? '')) yield statusResponse(href, 404);
    }
  };
  return respond(parts(), responseOptions);
}
