import { civilOf, DAY_MS, dayOfLocalMs } from '../../events/domain/day.ts';
import type { Day } from '../../events/domain/day.ts';

/** Octets of a line of iCalendar, without its end (RFC 5545 section 3.1). */
const LINE_OCTETS = 75;

const octetsOf = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const PLAIN = /^[\u0020-\u007e]*$/;

/** A content line cut into lines of 75 octets, none of them within a letter, and its end. */
export const folded = (line: string): string => {
  if (line.length <= LINE_OCTETS && PLAIN.test(line)) return `${line}\r\n`;
  let text = '';
  let octets = 0;
  for (const letter of line) {
    const size = octetsOf(letter.codePointAt(0) ?? 0);
    if (octets + size > LINE_OCTETS) {
      text += '\r\n ';
      octets = 1;
    }
    text += letter;
    octets += size;
  }
  return `${text}\r\n`;
};

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** A text as a value of iCalendar. Control characters, which it knows none of, are left out. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`);

const padded = (value: number, length = 2): string => String(value).padStart(length, '0');

/** `20261123`. */
export const icsDay = (day: Day): string => {
  const { year, month, date } = civilOf(day);
  return `${padded(year, 4)}${padded(month)}${padded(date)}`;
};

/** `20261123T090000`, in no time zone; `time` is `HH:MM`. */
export const icsTime = (day: Day, time: string): string => `${icsDay(day)}T${time.replace(':', '')}00`;

/** `20261123T080000Z` of milliseconds since the epoch. */
export const icsInstant = (ms: number): string => {
  const day = dayOfLocalMs(ms);
  const seconds = Math.floor((ms - day * DAY_MS) / 1000);
  const clock = `${padded(Math.floor(seconds / 3600))}${padded(Math.floor(seconds / 60) % 60)}${padded(seconds % 60)}`;
  return `${icsDay(day)}T${clock}Z`;
};
