import { Refusal } from '#platform/contract/refusal.ts';
import { DAY_MS, dayOfLocalMs, LAST_DAY } from '../../events/domain/day.ts';
import { UTC } from '../../events/domain/timeZone.ts';
import { textValue } from '../../exchange/server/ics/contentLines.ts';
import { type ReadEvent, readIcs, type ReadIcs } from '../../exchange/server/ics/readIcs.ts';
import { createCalendarObject } from './calendarObject.ts';
import { type ComponentTree, parseComponentTree, propertiesNamed, propertyNamed } from './componentTree.ts';
import { DavError } from './davError.ts';
import { OBJECT_LIMIT_BYTES } from './properties.ts';
import { isRule } from './recurrence.ts';
import { escaped, tag, type Xml } from './xml.ts';

/** An event and its changed days. */
const EVENTS_LIMIT = 1000;

export interface ReadingOptions {
  /** The account's zone, an IANA name. */
  readonly zone: string;
  readonly now: Temporal.Instant;
}

const refusal = (condition: Xml, why: string): DavError =>
  new DavError(403, condition + tag('d:responsedescription', escaped(why)));

const invalid = (why: string): DavError => refusal(tag('c:valid-calendar-object-resource'), why);

const readText = async (text: string, { zone, now }: ReadingOptions): Promise<ReadIcs> => {
  const { epochMilliseconds, offsetNanoseconds } = now.toZonedDateTimeISO(zone);
  const today = dayOfLocalMs(epochMilliseconds + offsetNanoseconds / 1e6);
  try {
    return await readIcs(text, { zone, today, bytes: OBJECT_LIMIT_BYTES, events: EVENTS_LIMIT });
  } catch (error) {
    if (error instanceof Refusal) throw refusal(tag('c:valid-calendar-data'), error.message);
    throw error;
  }
};

const uidOf = (component: ComponentTree): string => {
  const property = propertyNamed(component, 'UID');
  return property === undefined ? '' : textValue(property).trim();
};

const KINDS = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY', 'VAVAILABILITY', 'VPOLL']);
const DATED = new Set(['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE', 'EXDATE']);

/** Nothing lies before the first year that the calendar has. */
const checkDates = (events: readonly ComponentTree[]): void => {
  const dates = events.flatMap(({ properties }) => properties.filter(({ name }) => DATED.has(name)));
  if (dates.some(({ value }) => /(?:^|,)0000\d{4}(?:T|,|$)/.test(value)))
    throw refusal(tag('c:min-date-time'), 'It lies before the year 1');
};

/** An event that repeats nobody knows when is no valid one. @throws DavError */
const checkRules = (events: readonly ComponentTree[]): void => {
  const rules = events.flatMap((event) => propertiesNamed(event, 'RRULE'));
  if (rules.some(({ value }) => /(?:^|;)RSCALE=(?!GREGORIAN)/i.test(value)))
    throw refusal(tag('c:supported-rscale'), 'Its rule counts by another calendar than the Gregorian one');
  if (!rules.every(({ value }) => isRule(value)))
    throw refusal(tag('c:valid-calendar-data'), 'Its rule is not understood');
};

/** RFC 4791 section 4.1: an object is of one kind, has no `METHOD`, and all its events have one and the same UID. @throws DavError */
const checkObject = (text: string): void => {
  const { properties, components } = parseComponentTree(text);
  const kinds = new Set(components.map(({ name }) => name).filter((name) => KINDS.has(name)));
  const events = components.filter(({ name }) => name === 'VEVENT');
  if (events.length === 0)
    throw kinds.size > 0
      ? refusal(tag('c:supported-calendar-component'), 'Only events are kept here')
      : invalid('There is no event in it');
  if (kinds.size > 1) throw invalid('Events and other components are objects of their own');
  if ((text.match(/^BEGIN:VCALENDAR[ \t]*\r?$/gim)?.length ?? 0) > 1)
    throw invalid('There are several calendars in it');
  if (properties.some(({ name }) => name === 'METHOD')) throw invalid('An object has no METHOD');
  const uids = new Set(events.map(uidOf));
  if (uids.has('')) throw invalid('An event without a UID');
  if (uids.size > 1) throw invalid('Events with different UIDs are objects of their own');
  checkDates(events);
  checkRules(events);
};

/** Whether an event ends behind the last day that the calendar has. */
const isTooLate = (text: string): boolean => {
  const always = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
  for (const { until } of createCalendarObject(text, UTC).series.instances(always, { left: 1 }))
    return until > (LAST_DAY + 1) * DAY_MS;
  return false;
};

const CANCELLED = /^STATUS:CANCELLED[ \t]*\r?$/gim;

/** An object as a client sent it: one event, and days of its repeat that are otherwise. @throws DavError */
export const readObject = async (text: string, options: ReadingOptions): Promise<ReadEvent> => {
  if (text.includes('\0')) throw refusal(tag('c:valid-calendar-data'), 'A null character is no text');
  const first = await readText(text, options);
  checkObject(text);
  // The reader takes no event that is called off. A client that has it wants it kept: it stands here like any other.
  const read =
    first.events.length === 0 && CANCELLED.test(text) ? await readText(text.replaceAll(CANCELLED, ''), options) : first;
  const [event, second] = read.events;
  if (event === undefined && isTooLate(text)) throw refusal(tag('c:max-date-time'), 'It ends behind the year 9999');
  if (event === undefined) throw invalid(read.problems[0]?.why ?? 'It cannot be read');
  if (second !== undefined) throw invalid('It has several days of a repeat, and not the repeat itself');
  return event;
};
