import type { CalendarFeedEntry } from '#platform/server/tool.ts';
import { parseDay } from '../../events/domain/day.ts';
import { escaped, folded, icsInstant, icsTime } from '../domain/icsText.ts';

/** `20261123T090000` of `2026-11-23T09:00`: of the wall clock and in no zone, as the calendar's own times are. */
const moment = (text: string): string => {
  const [date = '', time = ''] = text.split('T');
  const day = parseDay(date);
  if (day === undefined) throw new Error(`an entry of the feed is on ${date}, which is no day`);
  return icsTime(day, time);
};

/** What another tool has in the feed, as a `VEVENT`. */
export const entryEvent = ({ uid, name, description, start, end, changed, isCancelled }: CalendarFeedEntry): string =>
  [
    'BEGIN:VEVENT',
    `UID:${escaped(uid)}`,
    `DTSTAMP:${icsInstant(changed)}`,
    `LAST-MODIFIED:${icsInstant(changed)}`,
    `SUMMARY:${escaped(name)}`,
    `DTSTART:${moment(start)}`,
    `DTEND:${moment(end)}`,
    ...(description === '' ? [] : [`DESCRIPTION:${escaped(description)}`]),
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    // What is planned for a time does not keep others from asking for it.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
    .map(folded)
    .join('');
