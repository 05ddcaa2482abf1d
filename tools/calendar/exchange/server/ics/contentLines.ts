/** A content line of iCalendar. */
export interface PropertyLine {
  /** Upper case. */
  readonly name: string;
  /** Name and parameters as they are written, without the colon. */
  readonly head: string;
  /** As it is written, escapes included. */
  readonly value: string;
}

/** Longer lines are cut: no text that is kept is as long. */
const LINE_LIMIT = 150_000;

/** `;TZID=tzone://Microsoft/Utc:` or `;TZID=(UTC-05:00) Eastern Time:`: a colon that Outlook did not put into quotes. */
const UNQUOTED_ZONE =
  /^([\w-]+(?:;[^:"]*)?;TZID=)([^":;]*:[^"]*?)((?:;[\w-]+=[\w-]+)*):(\d{8}(?:T\d{4,6}Z?)?(?:[,/].*)?)$/i;

/** The content lines of a piece of a file: folds undone, ends taken off, names of zones quoted where they have to be. */
export function unfolded(text: string): readonly string[] {
  return text
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .map((line) => (line.includes('TZID=') ? line.replace(UNQUOTED_ZONE, '$1"$2"$3:$4') : line));
}

/** `DTSTART` of `dtstart;VALUE=DATE:20261123`; '' where there is none. */
export function nameOf(line: string): string {
  return /^[\w-]{1,100}(?=[:;])/.exec(line)?.[0].toUpperCase() ?? '';
}

/** What stands behind the colon, as it is written. */
export function rawValueOf(line: string): string {
  return /^(?:[^":]|"[^"]*")*:(.*)$/s.exec(line)?.[1] ?? '';
}

/** Reads a content line; undefined where it is none. */
export function parsePropertyLine(line: string): PropertyLine | undefined {
  const name = nameOf(line);
  if (name === '') return undefined;
  const value = rawValueOf(line);
  return { name, head: line.slice(0, line.length - value.length).replace(/:$/, ''), value };
}

/** What a parameter's text cannot hold is written with a caret (RFC 6868). */
const CARETS: Readonly<Record<string, string>> = { '^n': '\n', '^^': '^', "^'": '"' };

/** Values of a parameter, quotes and carets undone; undefined where the property has none of that name. */
export function parameterValues({ head }: PropertyLine, name: string): readonly string[] | undefined {
  const parts = head.match(/;(?:[^";]|"[^"]*")*/g) ?? [];
  const found = parts.filter((part) => part.slice(1, part.indexOf('=')).trim().toUpperCase() === name);
  if (found.length === 0) return undefined;
  return found.flatMap((part) =>
    (part.slice(part.indexOf('=') + 1).match(/(?:[^",]|"[^"]*")+/g) ?? ['']).map((value) =>
      value.replace(/^"(.*)"$/s, '$1').replaceAll(/\^[n^']/g, (caret) => CARETS[caret] ?? caret),
    ),
  );
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([\\;,nN])/g, (_whole, letter: string) => (/n/i.test(letter) ? '\n' : letter));

/** A property's value with its escapes undone; of a list all of it. */
export function textValue({ value }: Pick<PropertyLine, 'value'>): string {
  return unescaped(value);
}

/** The value of a text property. */
export function textIn(line: string | undefined): string | undefined {
  return line === undefined || nameOf(line) === '' ? undefined : unescaped(rawValueOf(line.slice(0, LINE_LIMIT)));
}

/** Every text of a line that lists several. */
export function textsIn(line: string): readonly string[] {
  return (rawValueOf(line.slice(0, LINE_LIMIT)).match(/(?:\\.|[^,\\]|\\$)+/gs) ?? []).map(unescaped);
}

/** A `VEVENT`: its own content lines by name; those of its parts (alarms) are left out. */
export interface Component {
  /** As it is written. */
  readonly text: string;
  readonly lines: ReadonlyMap<string, readonly string[]>;
}

/** Lines of one name that are looked at. */
const SAME_NAME = 5000;

export function componentIn(text: string): Component {
  const lines = new Map<string, string[]>();
  let depth = 0;
  for (const line of unfolded(text)) {
    const name = nameOf(line);
    if (name === 'END') depth -= 1;
    if (depth === 1 && name !== '' && name !== 'BEGIN' && name !== 'END') {
      const same = lines.get(name);
      if (!same) lines.set(name, [line]);
      else if (same.length < SAME_NAME) same.push(line);
    }
    if (name === 'BEGIN') depth += 1;
  }
  return { text, lines };
}

export function lineOf({ lines }: Component, name: string): string | undefined {
  return lines.get(name)?.[0];
}
export function linesOf({ lines }: Component, name: string): readonly string[] {
  return lines.get(name) ?? [];
}
export function textOf(component: Component, name: string): string | undefined {
  return textIn(lineOf(component, name));
}
export function rawOf(component: Component, name: string): string {
  return rawValueOf(lineOf(component, name) ?? '');
}
