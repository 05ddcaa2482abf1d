import type { EndpointAnswer } from '#platform/server/endpoint.ts';
import { type Day, FIRST_DAY, LAST_DAY } from '../../domain/day.ts';
import type { CalendarEvent } from '../../domain/event.ts';
import { occurrencesBetween } from '../../domain/occurrence.ts';
import { namedZone, type Zone } from '../../domain/zone.ts';
import { type AskedAt, wantsMinimal } from './asked.ts';
import { DavError } from './errors.ts';
import { type Filter, looksIntoText, type Range, readFilter, textMatches, uidMatches } from './filter.ts';
import { multistatus, statusResponse } from './multistatus.ts';
import { type DavObject, everyObject, inBatches, objectsOf } from './objects.ts';
import { placeOf } from './path.ts';
import type { Wanted } from './properties.ts';
import { objectResponses, wantedOf } from './propfind.ts';
import { textsOf } from './texts.ts';
import { childOf, type Element, tag } from './xml.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Minutes of the wall clock, counted from the calendar's day 0. */
interface WallRange {
  readonly from: number;
  readonly until: number;
}

/** The moment by the wall clock of a zone, in minutes; before and behind all years where the moment is. */
const wallOf = (ms: number, zone: string): number => {
  if (ms < (FIRST_DAY + 2) * DAY_MINUTES * MINUTE_MS) return FIRST_DAY * DAY_MINUTES;
  if (ms > (LAST_DAY - 2) * DAY_MINUTES * MINUTE_MS) return (LAST_DAY + 1) * DAY_MINUTES;
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  return ms / MINUTE_MS + offsetNanoseconds / 60e9;
};

const wallRange = ({ start, end }: Range, zone: string): WallRange => ({
  from: wallOf(start, zone),
  until: wallOf(end, zone),
});

/** RFC 4791 section 9.9: a moment counts where it lies, all else where it overlaps. */
const overlaps = (start: number, end: number, { from, until }: WallRange): boolean =>
  start === end ? from <= start && start < until : start < until && end > from;

const daysOf = ({ from, until }: WallRange): readonly [from: Day, until: Day] => [
  Math.max(FIRST_DAY, Math.floor(from / DAY_MINUTES)),
  Math.min(LAST_DAY, Math.ceil(until / DAY_MINUTES) - 1),
];

const isWithin = (event: CalendarEvent, range: WallRange, viewer: Zone | undefined): boolean => {
  const [from, until] = daysOf(range);
  // At most the first and the last one are cut by the time: the third one is within.
  for (const { start, end } of occurrencesBetween(event, { from, until, viewer }))
    if (overlaps(start / MINUTE_MS, end / MINUTE_MS, range)) return true;
  return false;
};

/** Events that are there in a range of time; of changed days the repeat that they belong to. */
async function* eventsWithin(
  { calendar, user, zone }: AskedAt,
  asked: Range,
): AsyncGenerator<CalendarEvent, void, undefined> {
  const home = await zone();
  const range = wallRange(asked, home);
  const viewer = namedZone(home);
  const [from, until] = daysOf(range);
  const told = new Set<number>();
  for (const event of await calendar.between(user.account, from, until)) {
    const id = event.parent ?? event.id;
    if (told.has(id) || !isWithin(event, range, viewer)) continue;
    told.add(id);
    const whole = event.parent === undefined ? event : await calendar.read(user.account, event.parent);
    if (whole) yield whole;
  }
}

async function* objectsWithin(asked: AskedAt, range: Range): AsyncGenerator<readonly DavObject[], void, undefined> {
  for await (const events of inBatches(eventsWithin(asked, range)))
    yield await objectsOf(asked.calendar, asked.user.account, events);
}

const filtered = async (
  asked: AskedAt,
  objects: readonly DavObject[],
  filter: Filter,
): Promise<readonly DavObject[]> => {
  const named = objects.filter(({ event }) => uidMatches(event.uid, filter));
  if (!looksIntoText(filter) || named.length === 0) return named;
  const texts = await textsOf(asked, named);
  return named.filter((_object, at) => textMatches(texts[at] ?? '', filter));
};

/** What of a report's properties is wanted. @throws DavError for a kind of calendar data that we do not have. */
const wantedOfReport = (report: Element): Wanted => {
  const wanted = wantedOf(report);
  const data = wanted.names.find(({ name }) => name === 'c:calendar-data')?.attributes;
  if (data && ((data['content-type'] ?? 'text/calendar') !== 'text/calendar' || (data['version'] ?? '2.0') !== '2.0'))
    throw new DavError(403, tag('c:supported-calendar-data'));
  return wanted;
};

/** RFC 4791 section 7.8. */
export const calendarQuery = async (asked: AskedAt, report: Element): Promise<EndpointAnswer> => {
  if (asked.place.kind !== 'collection') throw new DavError(403, tag('d:supported-report'));
  const filter = readFilter(childOf(report, 'c:filter'));
  const isMinimal = wantsMinimal(asked);
  const shown = { wanted: wantedOfReport(report), isReport: true, isMinimal };
  const pieces = async function* () {
    if (filter.isEmpty) return;
    const { range } = filter;
    const all = range ? objectsWithin(asked, range) : everyObject(asked.calendar, asked.user.account);
    for await (const objects of all) yield await objectResponses(asked, await filtered(asked, objects, filter), shown);
  };
  return multistatus(pieces(), isMinimal);
};

/** RFC 4791 section 7.9. */
export const calendarMultiget = async (asked: AskedAt, report: Element): Promise<EndpointAnswer> => {
  const { calendar, user } = asked;
  const isMinimal = wantsMinimal(asked);
  const shown = { wanted: wantedOfReport(report), isReport: true, isMinimal };
  const hrefs = new Set(report.children.filter(({ name }) => name === 'd:href').map(({ text }) => text.trim()));
  const pieces = async function* () {
    for await (const batch of inBatches(hrefs)) {
      const resources = batch.map((href) => {
        const place = placeOf(href, user);
        return place?.kind === 'object' ? place.resource : undefined;
      });
      const events = await calendar.byResource(user.account, [
        ...new Set(resources.filter((one) => one !== undefined)),
      ]);
      yield await objectResponses(asked, await objectsOf(calendar, user.account, events), shown);
      const here = new Set(events.map(({ resource }) => resource));
      for (const [at, href] of batch.entries()) if (!here.has(resources[at] ?? '')) yield statusResponse(href, 404);
    }
  };
  return multistatus(pieces(), isMinimal);
};
