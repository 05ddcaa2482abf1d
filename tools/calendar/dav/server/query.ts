import { FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import type { CalendarEvent } from '../../events/domain/event.ts';
import { findNamedZone, UTC, type Zone } from '../../events/domain/timeZone.ts';
import { iterateBatches } from '../../exchange/server/ics/timeSlices.ts';
import { parseZoneDefinition } from '../../exchange/server/ics/zones.ts';
import type { Budget } from '../../repeat/domain/recurrenceRule.ts';
import { createExpansionBudget, parseDataRequest, createLimitError } from './calendarData.ts';
import { formatComponentTree, parseComponentTree, findProperty } from './componentTree.ts';
import { type DavObject, loadObjects, loadTexts, iterateObjects, findObject, OBJECTS_PER_BATCH } from './davObjects.ts';
import { DavError, type DavTarget, wantsMinimal } from './davRequest.ts';
import {
  type ComponentFilter,
  matchesEverything,
  matchesNothing,
  findEventRange,
  parseFilter,
  listUidMatches,
  type TimeRange,
} from './filter.ts';
import { matchesFilter, matchesText } from './filterMatch.ts';
import { parseCalendarObject, OBJECT_BUDGET, type CalendarObject } from './instances.ts';
import { createMultistatus, formatStatusResponse } from './multistatus.ts';
import { formatObjectResponses, type ObjectResponseOptions, parseRequestedProperties } from './propfind.ts';
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
  const { path, request, calendar, user } = davRequest;
  const depth = request.getHeader('depth')?.trim().toLowerCase() ?? '0';
  if (!['0', '1', 'infinity'].includes(depth)) throw new DavError(400);
  if (path.kind === 'object') {
    const object = await findObject(calendar, user.account, path.resource);
    if (object === undefined) throw new DavError(404);
    return { kind: 'object', object };
  }
  if (path.kind !== 'home' && path.kind !== 'collection') throw new DavError(403, tag('d:supported-report'));
  return { kind: path.kind === 'collection' || depth !== '0' ? 'calendar' : 'nothing' };
}

/** Extra days around a range, because the zones of events and dates are not known yet. */
const SLACK_DAYS = 2;

const toDayRange = ({ start, end }: TimeRange): readonly [from: Day, until: Day] => [
  Math.max(FIRST_DAY, Math.floor(start / DAY_MS) - SLACK_DAYS),
  Math.min(LAST_DAY, Math.ceil(end / DAY_MS) + SLACK_DAYS),
];

/** Iterates over events that may overlap a range. A changed day is returned as its repeat. */
async function* iterateEventsAround(
  { calendar, user }: DavTarget,
  range: TimeRange,
): AsyncGenerator<CalendarEvent, void> {
  const seenIds = new Set<number>();
  const nearEvents = await calendar.listBetween(user.account, ...toDayRange(range));
  const ruleEvents = await calendar.listWithForeignRule(user.account);
  for (const event of [...nearEvents, ...ruleEvents]) {
    const id = event.parent ?? event.id;
    if (seenIds.has(id)) continue;
    seenIds.add(id);
    const master = event.parent === undefined ? event : await calendar.read(user.account, event.parent);
    if (master) yield master;
  }
}

/** Iterates over objects in batches. With a range, over those that may overlap it, and some others. */
export async function* iterateObjectsNear(
  davRequest: DavTarget,
  range: TimeRange | undefined,
): AsyncGenerator<readonly DavObject[], void> {
  const { calendar, user } = davRequest;
  if (range === undefined) return yield* iterateObjects(calendar, user.account);
  for await (const events of iterateBatches(iterateEventsAround(davRequest, range), OBJECTS_PER_BATCH))
    yield await loadObjects(calendar, user.account, events);
}

/** Returns the zone of the account's dates and floating times. */
export async function getHomeZone({ getZone }: DavTarget): Promise<Zone> {
  return findNamedZone(await getZone()) ?? UTC;
}

/** Returns the zone of a query (RFC 4791 section 9.8, or by name, RFC 7809), or else the home zone. @throws DavError */
async function parseQueryZone(davRequest: DavTarget, report: Element): Promise<Zone> {
  const name = findChild(report, 'c:timezone-id')?.text.trim();
  if (name !== undefined) {
    const zone = findNamedZone(name);
    if (zone === undefined) throw new DavError(403, tag('c:valid-timezone'));
    return zone;
  }
  const definition = findChild(report, 'c:timezone')?.text;
  if (definition === undefined) return getHomeZone(davRequest);
  const calendar = parseComponentTree(definition);
  const [zoneComponent, second] = calendar.components;
  const isWhole = ['VERSION', 'PRODID'].every((propertyName) => findProperty(calendar, propertyName));
  const isZone = isWhole && zoneComponent?.name === 'VTIMEZONE' && second === undefined;
  const zone = isZone ? parseZoneDefinition(formatComponentTree(zoneComponent)) : undefined;
  if (zone === undefined) throw new DavError(403, tag('c:valid-calendar-data'));
  return zone;
}

/** Returns what a report shows of each object. @throws DavError for unsupported data */
export async function parseReportedData(
  davRequest: DavTarget,
  report: Element,
  floating?: Zone,
): Promise<ObjectResponseOptions> {
  const requested = parseRequestedProperties(report);
  const request = parseDataRequest(requested.names.find(({ name }) => name === 'c:calendar-data'));
  const zone = floating ?? (await getHomeZone(davRequest));
  const data = request && { request, floating: zone, budget: createExpansionBudget() };
  return { requested, isReport: true, isMinimal: wantsMinimal(davRequest), data };
}

/** Days and steps of repeats that one report may check. */
const REPORT_BUDGET = 20_000_000;

/** Parses objects for one report, within its budget. */
export function createObjectReader(floating: Zone) {
  const budget: Budget = { left: REPORT_BUDGET };
  return <Result>(text: string, read: (object: CalendarObject) => Result): Result => {
    if (budget.left <= 0) throw createLimitError();
    const object = parseCalendarObject(text, floating);
    const result = read(object);
    budget.left -= OBJECT_BUDGET - object.budget.left;
    return result;
  };
}

async function filterObjects(
  davRequest: DavTarget,
  objects: readonly DavObject[],
  { filter, read }: { readonly filter: ComponentFilter; readonly read: ReturnType<typeof createObjectReader> },
): Promise<readonly DavObject[]> {
  if (matchesEverything(filter)) return objects;
  const uids = listUidMatches(filter);
  const uidMatches = objects.filter(({ event }) => uids.every((match) => matchesText(event.uid, match)));
  const texts = uidMatches.length === 0 ? [] : await loadTexts(davRequest, uidMatches);
  return uidMatches.filter((_object, index) => read(texts[index] ?? '', (object) => matchesFilter(object, filter)));
}

const isExpanding = ({ data }: ObjectResponseOptions): boolean => data?.request.expand !== undefined;

/** Collects all parts before answering if a limit can still be exceeded by the last one. */
async function respond(
  parts: AsyncGenerator<Xml, void>,
  responseOptions: ObjectResponseOptions,
): Promise<EndpointResponse> {
  if (!isExpanding(responseOptions)) return createMultistatus(parts, responseOptions.isMinimal);
  const all: Xml[] = [];
  for await (const piece of parts) all.push(piece);
  return createMultistatus(all, responseOptions.isMinimal);
}

/** RFC 4791 section 7.8. */
export async function handleCalendarQuery(davRequest: DavTarget, report: Element): Promise<EndpointResponse> {
  const scope = await readScope(davRequest);
  const filter = parseFilter(findChild(report, 'c:filter'));
  const floating = await parseQueryZone(davRequest, report);
  const responseOptions = await parseReportedData(davRequest, report, floating);
  const search = { filter, read: createObjectReader(floating) };
  const parts = async function* () {
    if (scope.kind === 'nothing' || matchesNothing(filter)) return;
    const all = scope.kind === 'object' ? [[scope.object]] : iterateObjectsNear(davRequest, findEventRange(filter));
    for await (const objects of all)
      yield await formatObjectResponses(davRequest, await filterObjects(davRequest, objects, search), responseOptions);
  };
  return respond(parts(), responseOptions);
}

/** RFC 4791 section 7.9. */
export async function handleCalendarMultiget(davRequest: DavTarget, report: Element): Promise<EndpointResponse> {
  const { calendar, user, path } = davRequest;
  await readScope(davRequest);
  const responseOptions = await parseReportedData(davRequest, report);
  const hrefs = new Set(report.children.filter(({ name }) => name === 'd:href').map(({ text }) => text.trim()));
  if (hrefs.size === 0) throw new DavError(400);
  function parseResource(href: string): string | undefined {
    const target = davRequest.hrefs.parse(href);
    if (target?.kind !== 'object') return undefined;
    return path.kind === 'object' && path.resource !== target.resource ? undefined : target.resource;
  }
  const parts = async function* () {
    for await (const batch of iterateBatches(hrefs, OBJECTS_PER_BATCH)) {
      const resources = batch.map(parseResource);
      const events = await calendar.listByResource(user.account, [
        ...new Set(resources.filter((resource) => resource !== undefined)),
      ]);
      yield await formatObjectResponses(davRequest, await loadObjects(calendar, user.account, events), responseOptions);
      const existing = new Set(events.map(({ resource }) => resource));
      for (const [index, href] of batch.entries())
        if (!existing.has(resources[index] ?? '')) yield formatStatusResponse(href, 404);
    }
  };
  return respond(parts(), responseOptions);
}
