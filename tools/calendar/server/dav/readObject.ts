import { Refusal } from '#platform/contract/refusal.ts';
import { dayOfLocalMs } from '../../domain/day.ts';
import { type ReadEvent, readIcs, type ReadIcs } from '../ics/read.ts';
import { DavError } from './errors.ts';
import { eventsIn } from './filter.ts';
import { OBJECT_LIMIT_BYTES } from './properties.ts';
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

/** RFC 4791 section 4.1: all events of an object have one and the same UID. @throws DavError */
const checkUids = (text: string): void => {
  const events = eventsIn(text);
  if (events.length === 0)
    throw /^BEGIN:V(?:TODO|JOURNAL|FREEBUSY|AVAILABILITY|POLL)\s*$/im.test(text)
      ? refusal(tag('c:supported-calendar-component'), 'Only events are kept here')
      : invalid('There is no event in it');
  const uids = new Set(events.map(({ values }) => values.get('UID')?.[0]?.trim() ?? ''));
  if (uids.has('')) throw invalid('An event without a UID');
  if (uids.size > 1) throw invalid('Events with different UIDs are objects of their own');
};

const CANCELLED = /^STATUS:CANCELLED[ \t]*\r?$/gim;

/** An object as a client sent it: one event, and days of its repeat that are otherwise. @throws DavError */
export const readObject = async (text: string, options: ReadingOptions): Promise<ReadEvent> => {
  if (text.includes('\0')) throw refusal(tag('c:valid-calendar-data'), 'A null character is no text');
  const first = await readText(text, options);
  checkUids(text);
  // The reader takes no event that is called off. A client that has it wants it kept: it stands here like any other.
  const read =
    first.events.length === 0 && CANCELLED.test(text) ? await readText(text.replaceAll(CANCELLED, ''), options) : first;
  const [event, second] = read.events;
  if (event === undefined) throw invalid(read.problems[0]?.why ?? 'It cannot be read');
  if (second !== undefined) throw invalid('It has several days of a repeat, and not the repeat itself');
  return event;
};
