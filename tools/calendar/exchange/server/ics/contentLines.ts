/** A content line of iCalendar. */
export interface PropertyLine {
  /** Upper case. */
  readonly name: string;
  /** Name and parameters as written, without the colon. */
  readonly head: string;
  /** As written, with escapes. */
  readonly value: string;
}

/** Longer lines are cut. No stored text is that long. */
const MAX_LINE_LENGTH = 150_000;

/** `;TZID=tzone://Microsoft/Utc:` or `;TZID=(UTC-05:00) Eastern Time:`: a colon that Outlook did not quote. */
const UNQUOTED_ZONE_PATTERN =
  /^([\w-]+(?:;[^:"]*)?;TZID=)([^":;]*:[^"]*?)((?:;[\w-]+=[\w-]+)*):(\d{8}(?:T\d{4,6}Z?)?(?:[,/].*)?)$/i;

/** Splits a text into content lines: unfolds them, and quotes names of zones that need it. */
export function splitContentLines(text: string): readonly string[] {
  return text
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .map((line) => (line.includes('TZID=') ? line.replace(UNQUOTED_ZONE_PATTERN, '$1"$2"$3:$4') : line));
}

/** Returns `DTSTART` for `dtstart;VALUE=DATE:20261123`, or '' if there is no name. */
export function getName(line: string): string {
  return /^[\w-]{1,100}(?=[:;])/.exec(line)?.[0].toUpperCase() ?? '';
}

/** Returns the text after the colon, as written. */
export function getRawValue(line: string): string {
  return /^(?:[^":]|"[^"]*")*:(.*)$/s.exec(line)?.[1] ?? '';
}

/** Parses a content line. Returns undefined for other lines. */
export function parsePropertyLine(line: string): PropertyLine | undefined {
  const name = getName(line);
  if (name === '') return undefined;
  const value = getRawValue(line);
  return { name, head: line.slice(0, line.length - value.length).replace(/:$/, ''), value };
}

/** Escapes of characters that a parameter can't contain (RFC 6868). */
const CARET_ESCAPES: Readonly<Record<string, string>> = { '^n': '\n', '^^': '^', "^'": '"' };

/** Returns the unescaped values of a parameter. Undefined if the property doesn't have it. */
export function getParameterValues({ head }: PropertyLine, name: string): readonly string[] | undefined {
  const parts = head.match(/;(?:[^";]|"[^"]*")*/g) ?? [];
  const matches = parts.filter((part) => part.slice(1, part.indexOf('=')).trim().toUpperCase() === name);
  if (matches.length === 0) return undefined;
  return matches.flatMap((part) =>
    (part.slice(part.indexOf('=') + 1).match(/(?:[^",]|"[^"]*")+/g) ?? ['']).map((value) =>
      value.replace(/^"(.*)"$/s, '$1').replaceAll(/\^[n^']/g, (caret) => CARET_ESCAPES[caret] ?? caret),
    ),
  );
}

const unescapeText = (text: string): string =>
  text.replaceAll(/\\([\\;,nN])/g, (_whole, letter: string) => (/n/i.test(letter) ? '\n' : letter));

/** Returns a property's unescaped value. A list is returned as a whole. */
export function getTextValue({ value }: Pick<PropertyLine, 'value'>): string {
  return unescapeText(value);
}

/** Returns the value of a text property. */
export function findTextValue(line: string | undefined): string | undefined {
  return line === undefined || getName(line) === ''
    ? undefined
    : unescapeText(getRawValue(line.slice(0, MAX_LINE_LENGTH)));
}

export function listTextValues(line: string): readonly string[] {
  return (getRawValue(line.slice(0, MAX_LINE_LENGTH)).match(/(?:\\.|[^,\\]|\\$)+/gs) ?? []).map(unescapeText);
}

/** A `VEVENT` with its own content lines by name. Lines of its parts (alarms) are left out. */
export interface Component {
  /** As written. */
  readonly text: string;
  readonly lines: ReadonlyMap<string, readonly string[]>;
}

/** Maximum number of lines of one name that are read. */
const MAX_LINES_PER_NAME = 5000;

export function parseComponent(text: string): Component {
  const lines = new Map<string, string[]>();
  let depth = 0;
  for (const line of splitContentLines(text)) {
    const name = getName(line);
    if (name === 'END') depth -= 1;
    if (depth === 1 && name !== '' && name !== 'BEGIN' && name !== 'END') {
      const same = lines.get(name);
      if (!same) lines.set(name, [line]);
      else if (same.length < MAX_LINES_PER_NAME) same.push(line);
    }
    if (name === 'BEGIN') depth += 1;
  }
  return { text, lines };
}

export function findLine({ lines }: Component, name: string): string | undefined {
  return lines.get(name)?.[0];
}
export function listLines({ lines }: Component, name: string): readonly string[] {
  return lines.get(name) ?? [];
}
export function findText(component: Component, name: string): string | undefined {
  return findTextValue(findLine(component, name));
}
export function getRawText(component: Component, name: string): string {
  return getRawValue(findLine(component, name) ?? '');
}

export function getSequence(component: Component): number {
  return Number.parseInt(getRawText(component, 'SEQUENCE'), 10) || 0;
}

/** Whether a version of an event is older than another one (RFC 5546 2.1.5). False if nothing shows it. */
export function isOlder(one: Component, other: Component): boolean {
  const difference = getSequence(one) - getSequence(other);
  if (difference !== 0) return difference < 0;
  for (const name of ['LAST-MODIFIED', 'DTSTAMP']) {
    const [first, second] = [getRawText(one, name).trim(), getRawText(other, name).trim()];
    if (first !== second && [first, second].every((text) => /^\d{8}T\d{6}Z$/.test(text))) return first < second;
  }
  return false;
}
