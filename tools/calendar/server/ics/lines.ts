import ICAL from 'ical.js';

/** A property as ical.js reads it: dates and times in ISO form, texts without their escapes. */
export interface Property {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** `date`, `date-time`, `text`, `period`, ... */
  readonly type: string;
  readonly values: readonly unknown[];
}

/** Longer lines are cut: no text that is kept is as long. */
const LINE_LIMIT = 150_000;
/** A name with its parameters. */
const HEAD_LIMIT = 4096;

/** `;TZID=tzone://Microsoft/Utc:` or `;TZID=(UTC-05:00) Eastern Time:`: a colon that Outlook did not put into quotes. */
const UNQUOTED_ZONE = /^([\w-]+(?:;[^:"]*)?;TZID=)([^":;]*:[^"]*?):(\d{8}(?:T\d{4,6}Z?)?(?:[,/].*)?)$/i;

/** The content lines of a piece of a file: folds undone, ends taken off, names of zones quoted where they have to be. */
export const unfolded = (text: string): readonly string[] =>
  text
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .map((line) => (line.includes('TZID=') ? line.replace(UNQUOTED_ZONE, '$1"$2":$3') : line));

/** `DTSTART` of `dtstart;VALUE=DATE:20261123`; '' where there is none. */
export const nameOf = (line: string): string => /^[\w-]{1,60}(?=[:;])/.exec(line)?.[0].toUpperCase() ?? '';

/** What stands behind the colon, as it is written. */
export const rawValueOf = (line: string): string => /^(?:[^":]|"[^"]*")*:(.*)$/s.exec(line)?.[1] ?? '';

const unescaped = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.replaceAll(/\\([\\;,nN])/g, (_whole, letter: string) => (/n/i.test(letter) ? '\n' : letter))
    : value;

/** Reads a content line; undefined where it is none. */
export const propertyIn = (line: string): Property | undefined => {
  if (!line.slice(0, HEAD_LIMIT).includes(':')) return undefined;
  try {
    const [, parameters, type, ...values] = ICAL.parse.property(line.slice(0, LINE_LIMIT)) as [
      string,
      Record<string, unknown>,
      string,
      ...unknown[],
    ];
    // Of names that it does not know (`X-WR-CALNAME`) ical.js leaves the escapes.
    return { parameters, type, values: type === 'unknown' ? values.map(unescaped) : values };
  } catch {
    // ical.js throws for what is no content line, with texts for programmers: whoever asks says what is missing.
    return undefined;
  }
};

/** The first value of a text property. */
export const textIn = (line: string | undefined): string | undefined => {
  const value = line === undefined ? undefined : propertyIn(line)?.values[0];
  return typeof value === 'string' ? value : undefined;
};

/** Every text of a line that lists several. ical.js takes the comma behind a text that ends with a backslash for a part of it. */
export const textsIn = (line: string): readonly string[] =>
  (rawValueOf(line.slice(0, LINE_LIMIT)).match(/(?:\\.|[^,\\]|\\$)+/gs) ?? []).map((text) => String(unescaped(text)));
