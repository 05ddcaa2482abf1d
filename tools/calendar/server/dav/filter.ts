import { DavError } from './errors.ts';
import { childOf, type Element, tag } from './xml.ts';

/** Milliseconds since the epoch; `end` is no part of it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

interface TextMatch {
  readonly text: string;
  readonly isNegated: boolean;
  readonly isExact: boolean;
}

/** What one property of an event has to be. */
export interface PropertyFilter {
  /** Upper case. */
  readonly name: string;
  readonly isAbsent: boolean;
  readonly match: TextMatch | undefined;
}

/** What a `calendar-query` looks for. */
export interface Filter {
  /** Nothing here is of the kind that is looked for (tasks, journals). */
  readonly isEmpty: boolean;
  readonly range: Range | undefined;
  readonly properties: readonly PropertyFilter[];
  /** Whether events with an alarm, or those without, are looked for. */
  readonly alarm: boolean | undefined;
}

const unsupported = (): DavError => new DavError(403, tag('c:supported-filter'));
const invalid = (): DavError => new DavError(403, tag('c:valid-filter'));

const INSTANT = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;
const instantOf = (text: string): number => {
  const parts = INSTANT.exec(text)?.slice(1).map(Number);
  if (parts === undefined) throw invalid();
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour, minute, second);
  return at.getTime();
};

const rangeOf = ({ attributes: { start, end } }: Element): Range => {
  if (start === undefined && end === undefined) throw invalid();
  const range = {
    start: start === undefined ? Number.NEGATIVE_INFINITY : instantOf(start),
    end: end === undefined ? Number.POSITIVE_INFINITY : instantOf(end),
  };
  if (range.start >= range.end) throw invalid();
  return range;
};

const COLLATIONS = new Set(['i;ascii-casemap', 'i;unicode-casemap', 'default']);
const matchOf = ({ attributes, text }: Element): TextMatch => {
  const collation = attributes['collation'] ?? 'i;ascii-casemap';
  const isExact = collation === 'i;octet';
  if (!isExact && !COLLATIONS.has(collation)) throw new DavError(403, tag('c:supported-collation'));
  return { text, isNegated: attributes['negate-condition'] === 'yes', isExact };
};

const propertyOf = (element: Element): PropertyFilter => {
  const name = element.attributes['name']?.toUpperCase();
  if (name === undefined || !/^[A-Z0-9-]+$/.test(name)) throw invalid();
  if (element.children.some((child) => child.name === 'c:param-filter' || child.name === 'c:time-range'))
    throw unsupported();
  const match = childOf(element, 'c:text-match');
  return {
    name,
    isAbsent: childOf(element, 'c:is-not-defined') !== undefined,
    match: match && matchOf(match),
  };
};

const alarmOf = (element: Element): boolean => {
  if (element.attributes['name']?.toUpperCase() !== 'VALARM') throw unsupported();
  const [inner] = element.children;
  if (inner !== undefined && inner.name !== 'c:is-not-defined') throw unsupported();
  return inner === undefined;
};

const EVERYTHING: Filter = { isEmpty: false, range: undefined, properties: [], alarm: undefined };

const eventFilter = (element: Element): Filter => {
  const range = childOf(element, 'c:time-range');
  const alarms = element.children.filter(({ name }) => name === 'c:comp-filter').map(alarmOf);
  return {
    isEmpty: childOf(element, 'c:is-not-defined') !== undefined || (alarms.includes(true) && alarms.includes(false)),
    range: range && rangeOf(range),
    properties: element.children.filter(({ name }) => name === 'c:prop-filter').map(propertyOf),
    alarm: alarms[0],
  };
};

/** Reads the filter of a `calendar-query` (RFC 4791 section 9.7). @throws DavError for one that is none, or that this server does not know. */
export const readFilter = (filter: Element | undefined): Filter => {
  const root = childOf(filter, 'c:comp-filter');
  if (root?.attributes['name']?.toUpperCase() !== 'VCALENDAR') throw invalid();
  if (childOf(root, 'c:is-not-defined') !== undefined) return { ...EVERYTHING, isEmpty: true };
  if (root.children.some(({ name }) => name === 'c:prop-filter' || name === 'c:time-range')) throw unsupported();
  const [component, second] = root.children.filter(({ name }) => name === 'c:comp-filter');
  if (second !== undefined) throw unsupported();
  if (component === undefined) return EVERYTHING;
  const name = component.attributes['name']?.toUpperCase();
  if (name === 'VEVENT') return eventFilter(component);
  // There are none of these, so what must not be there is not there.
  return { ...EVERYTHING, isEmpty: childOf(component, 'c:is-not-defined') === undefined };
};

// Matching -------------------------------------------------------------------------------------------

const asciiFold = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const matches = (value: string, { text, isNegated, isExact }: TextMatch): boolean =>
  (isExact ? value.includes(text) : asciiFold(value).includes(asciiFold(text))) !== isNegated;

const unescaped = (value: string): string =>
  value.replaceAll(/\\([\\;,nN])/g, (_whole, letter: string) => (letter === 'n' || letter === 'N' ? '\n' : letter));

/** Values of the properties of one event, by their name: of the events in a text, one after another. Alarms within are counted alone. */
interface EventProperties {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly hasAlarm: boolean;
}

/** Longer values are looked into as far as this. */
const LINE_LIMIT = 100_000;
const LINE = /^([A-Za-z0-9-]+)((?:;[^":]*(?:"[^"]*"[^":]*)*)?):(.*)$/s;

interface OpenEvent {
  readonly values: Map<string, string[]>;
  hasAlarm: boolean;
}

const add = (event: OpenEvent | undefined, name: string, value: string): void => {
  const values = event?.values.get(name) ?? [];
  event?.values.set(name, [...values, unescaped(value)]);
};

const begin = (component: string, events: OpenEvent[]): void => {
  if (component === 'VEVENT') events.push({ values: new Map(), hasAlarm: false });
  const current = events.at(-1);
  if (component === 'VALARM' && current) current.hasAlarm = true;
};

/** Reads lines alone: enough to look into, for what was kept has been read whole before. */
export const eventsIn = (text: string): readonly EventProperties[] => {
  const events: OpenEvent[] = [];
  const open: string[] = [];
  for (const line of text.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const [, key = '', , value = ''] = LINE.exec(line.slice(0, LINE_LIMIT)) ?? [];
    const name = key.toUpperCase();
    if (name === 'END') open.pop();
    else if (name === 'BEGIN') begin(open[open.push(value.trim().toUpperCase()) - 1] ?? '', events);
    else if (name !== '' && open.at(-1) === 'VEVENT') add(events.at(-1), name, value);
  }
  return events;
};

const satisfies = ({ values }: EventProperties, { name, isAbsent, match }: PropertyFilter): boolean => {
  const present = values.get(name);
  if (isAbsent) return present === undefined;
  return present !== undefined && (match === undefined || present.some((value) => matches(value, match)));
};

/** Whether an object's text has to be looked into. */
export const looksIntoText = ({ properties, alarm }: Filter): boolean => properties.length > 0 || alarm !== undefined;

/** Whether one of the events in an object's text is what is looked for, but for its time. */
export const textMatches = (text: string, { properties, alarm }: Filter): boolean =>
  eventsIn(text).some(
    (event) =>
      properties.every((property) => satisfies(event, property)) && (alarm === undefined || event.hasAlarm === alarm),
  );

/** Of the `UID` alone, which is known without the text. */
export const uidMatches = (uid: string, { properties }: Filter): boolean =>
  properties.every(
    ({ name, isAbsent, match }) => name !== 'UID' || (!isAbsent && (match === undefined || matches(uid, match))),
  );
