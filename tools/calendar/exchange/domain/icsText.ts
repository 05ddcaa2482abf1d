import { toCivilDate, type Day } from '#platform/contract/day.ts';
import { DAY_MS, HOUR_SECONDS } from '#platform/contract/duration.ts';
import { toLocalDay } from '../../events/domain/day.ts';

const LF = 0x0a;
const CR = 0x0d;
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Returns the length of the fold (line end and one blank) at an index, or 0. A line may end with one CR or several. */
function getFoldLength(bytes: Uint8Array, index: number): number {
  let end = index;
  while (bytes[end] === CR) end += 1;
  if (bytes[end] === LF) end += 1;
  const blank = bytes[end];
  return end > index && (blank === 0x20 || blank === 0x09) ? end + 1 - index : 0;
}

/** Removes folds between the bytes of one character, which RFC 5545 allows. Must run before decoding. */
function unfoldCharacters(bytes: Uint8Array): Uint8Array {
  const joined = new Uint8Array(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const fold = getFoldLength(bytes, index);
    // No character starts with a continuation byte: after a fold it belongs to the byte before the fold.
    if (fold > 0 && (bytes[index - 1] ?? 0) >= 0x80 && isContinuation(bytes[index + fold])) index += fold;
    joined[length] = bytes[index] ?? 0;
    length += 1;
  }
  return joined.subarray(0, length);
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossyUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const windows1252 = new TextDecoder('windows-1252');

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes a line. If it is not valid UTF-8 and has no UTF-8 characters, an old program wrote it in windows-1252. */
function decodeLine(line: Uint8Array): string {
  const whole = decodeStrictly(line);
  if (whole !== undefined) return whole;
  const text = lossyUtf8.decode(line);
  return /[^\0-\x7f\ufffd]/.test(text) ? text : windows1252.decode(line);
}

function decodeLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length;) {
    let to = from;
    while (to < bytes.length && bytes[to] !== LF && bytes[to] !== CR) to += 1;
    to = Math.min(bytes.length, to + 1);
    lines.push(decodeLine(bytes.subarray(from, to)));
    from = to;
  }
  return lines.join('');
}

/** Detects UTF-16 by its byte order mark, or by the zero byte of its first letter. */
function detectUtf16([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined;
}

/** Decodes an .ics file and removes its byte order mark. An invalid byte damages only its own line. */
export function decodeIcs(bytes: Uint8Array): string {
  const utf16 = bytes.length > 1 ? detectUtf16(bytes) : undefined;
  if (utf16 !== undefined) return new TextDecoder(utf16, { ignoreBOM: true }).decode(bytes);
  return decodeStrictly(bytes) ?? decodeLines(unfoldCharacters(bytes));
}

/** The line end of old Macs, if a property follows. Elsewhere it is part of a text. */
const STRAY_LINE_END_PATTERN = /\r(?=[A-Z][A-Z\d-]{0,60}[:;]|$)/gi;

/** Byte order marks and blanks before the first line. A mark that was read as windows-1252 is 'ï»¿'. */
const LEADING_MARKS_PATTERN = /^(?:[\uFEFF\s]|\u00EF\u00BB\u00BF)+/;

/** Returns the text of an .ics file with normalized line ends and without characters that no text may contain. */
export function decodeIcsText(file: string | Uint8Array): string {
  const text = (typeof file === 'string' ? file : decodeIcs(file))
    .replaceAll('\0', '')
    .replace(LEADING_MARKS_PATTERN, '');
  if (!/\r(?!\n)/.test(text)) return text;
  return text.includes('\n')
    ? text.replaceAll(/\r+\n/g, '\r\n').replaceAll(STRAY_LINE_END_PATTERN, '\n')
    : text.replaceAll('\r', '\n');
}

/** Octets of an iCalendar line without its end (RFC 5545 section 3.1). */
const MAX_LINE_OCTETS = 75;

const countOctets = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const PRINTABLE_PATTERN = /^[\u0020-\u007e]*$/;

/** Folds a content line into lines of 75 octets, never within a character, and ends it. */
export function foldLine(line: string): string {
  if (line.length <= MAX_LINE_OCTETS && PRINTABLE_PATTERN.test(line)) return `${line}\r\n`;
  let text = '';
  let octets = 0;
  for (const letter of line) {
    const size = countOctets(letter.codePointAt(0) ?? 0);
    if (octets + size > MAX_LINE_OCTETS) {
      text += '\r\n ';
      octets = 1;
    }
    text += letter;
    octets += size;
  }
  return `${text}\r\n`;
}

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL_PATTERN = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Escapes a text for iCalendar. Control characters, which iCalendar does not allow, are removed. */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(CONTROL_PATTERN, '')
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`);
}

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** Formats a day as `20261123`. */
export function formatIcsDay(day: Day): string {
  const { year, month, date } = toCivilDate(day);
  return `${pad(year, 4)}${pad(month)}${pad(date)}`;
}

/** Formats a time in no zone as `20261123T090000`. `time` is `HH:MM`. */
export function formatIcsTime(day: Day, time: string): string {
  return `${formatIcsDay(day)}T${time.replace(':', '')}00`;
}

/** Formats milliseconds since the epoch as `20261123T080000Z`. */
export function formatIcsInstant(ms: number): string {
  const day = toLocalDay(ms);
  const seconds = Math.floor((ms - day * DAY_MS) / 1000);
  const clock = `${pad(Math.floor(seconds / HOUR_SECONDS))}${pad(Math.floor(seconds / 60) % 60)}${pad(seconds % 60)}`;
  return `${formatIcsDay(day)}T${clock}Z`;
}
