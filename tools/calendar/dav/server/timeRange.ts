import { DAY_MS, FIRST_DAY, parseDay } from '../../events/domain/day.ts';
import { DavError } from './davError.ts';
import { type Element, tag } from './xml.ts';

/** Milliseconds since the epoch; `end` is no part of it. Infinite where a side is open. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

/** The first and the last moment of the calendar, as its properties say them. */
export const MIN_DATE_TIME = '00010101T000000Z';
export const MAX_DATE_TIME = '99991231T235959Z';

const INSTANT = /^(\d{4})(\d\d)(\d\d)T([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)Z$/;

const instantOf = (text: string, invalid: () => DavError): number => {
  const [, year = '', month, date, ...clock] = INSTANT.exec(text.trim()) ?? [];
  if (year === '0000') throw new DavError(403, tag('c:min-date-time'));
  const day = parseDay(`${year}-${month}-${date}`);
  if (day === undefined || day < FIRST_DAY) throw invalid();
  const [hours = 0, minutes = 0, seconds = 0] = clock.map(Number);
  return day * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1000;
};

/**
 * Reads `start` and `end` of a time range (RFC 4791 section 9.9).
 * @param sides how many of the two have to be there.
 * @throws DavError what `invalid` gives, or the condition of a moment before the calendar's first.
 */
export function readTimeRange(
  { attributes: { start, end } }: Element,
  invalid: () => DavError,
  sides: 'one' | 'both' = 'one',
): TimeRange {
  const isMissing =
    sides === 'both' ? start === undefined || end === undefined : start === undefined && end === undefined;
  if (isMissing) throw invalid();
  const range = {
    start: start === undefined ? Number.NEGATIVE_INFINITY : instantOf(start, invalid),
    end: end === undefined ? Number.POSITIVE_INFINITY : instantOf(end, invalid),
  };
  if (range.start >= range.end) throw invalid();
  return range;
}

/** RFC 4791 section 9.9: a moment counts where it lies, all else where it overlaps. */
export const isWithin = ({ start, end }: TimeRange, from: number, until: number): boolean =>
  from >= until ? start <= from && from < end : start < until && from < end;
