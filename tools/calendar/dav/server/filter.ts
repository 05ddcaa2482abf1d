import { FIRST_DAY } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import { parseDay } from '../../events/domain/day.ts';
import { DavError } from './davRequest.ts';
import { findChild, type Element, escapeXml, tag } from './xml.ts';

/** Milliseconds since the epoch. `end` is exclusive. An open side is infinite. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

/** The first and the last supported moment, as iCalendar writes them. */
export const MIN_DATE_TIME = '00010101T000000Z';
export const MAX_DATE_TIME = '99991231T235959Z';

const INSTANT_PATTERN = /^(\d{4})(\d\d)(\d\d)T([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)Z$/;

function parseInstant(text: string, createError: () => DavError): number {
  const [, year = '', month, date, ...clock] = INSTANT_PATTERN.exec(text.trim()) ?? [];
  if (year === '0000') throw new DavError(403, tag('c:min-date-time'));
  const day = parseDay(`${year}-${month}-${date}`);
  if (day === undefined || day < FIRST_DAY) throw createError();
  const [hours = 0, minutes = 0, seconds = 0] = clock.map(Number);
  return day * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/**
 * Parses `start` and `end` of a time range (RFC 4791 section 9.9).
 * @param sides how many of the two are required
 * @throws DavError from `createError`, or for a moment before the first supported one
 */
export function parseTimeRange(
  { attributes: { start, end } }: Element,
  createError: () => DavError,
  sides: 'one' | 'both' = 'one',
): TimeRange {
  const isMissing =
    sides === 'both' ? start === undefined || end === undefined : start === undefined && end === undefined;
  if (isMissing) throw createError();
  const range = {
    start: start === undefined ? Number.NEGATIVE_INFINITY : parseInstant(start, createError),
    end: end === undefined ? Number.POSITIVE_INFINITY : parseInstant(end, createError),
  };
  if (range.start >= range.end) throw createError();
  return range;
}

/** RFC 4791 section 9.9: a moment must be inside the range, everything else must overlap it. */
export function isWithin({ start, end }: TimeRange, from: number, until: number): boolean {
  return from >= until ? start <= from && from < end : start < until && from < end;
}

/** Collations of text matches: ASCII case-insensitive, Unicode case-insensitive, and byte by byte. */
export const COLLATIONS = ['i;ascii-casemap', 'i;unicode-casemap', 'i;octet'] as const;
export type Collation = (typeof COLLATIONS)[number];

export interface TextMatch {
  readonly text: string;
  readonly isNegated: boolean;
  readonly collation: Collation;
}

export interface ParameterFilter {
  /** Upper case. */
  readonly name: string;
  readonly isAbsent: boolean;
  readonly match: TextMatch | undefined;
}

export interface PropertyFilter extends ParameterFilter {
  readonly range: TimeRange | undefined;
  readonly parameters: readonly ParameterFilter[];
}

/** Conditions for one component (RFC 4791 section 9.7.1). All must match. */
export interface ComponentFilter {
  /** Upper case. */
  readonly name: string;
  readonly isAbsent: boolean;
  readonly range: TimeRange | undefined;
  readonly properties: readonly PropertyFilter[];
  readonly components: readonly ComponentFilter[];
}

const createInvalidError = (): DavError => new DavError(403, tag('c:valid-filter'));

/** Creates the error for an unsupported part of a filter. */
function createUnsupportedError({ name: element, attributes }: Element): DavError {
  const name = attributes['name'];
  const kind = name === undefined || !element.startsWith('c:') ? '' : `<${element} name="${escapeXml(name)}"/>`;
  return new DavError(403, tag('c:supported-filter', kind));
}

function getName({ attributes }: Element): string {
  const name = attributes['name']?.trim().toUpperCase();
  if (name === undefined || !/^[A-Z0-9-]+$/.test(name)) throw createInvalidError();
  return name;
}

/** Validates which children an element has, and how many. Elements of other namespaces are ignored. */
function validateChildren(element: Element, allowed: Readonly<Record<string, number>>): void {
  const children = element.children.filter(({ name }) => name.startsWith('c:'));
  for (const [name, sameName] of Map.groupBy(children, (child) => child.name))
    if (sameName.length > (allowed[name] ?? 0)) throw createInvalidError();
  const isAbsent = children.some(({ name }) => name === 'c:is-not-defined');
  if (isAbsent && children.length > 1) throw createInvalidError();
  // Extensions of the grammar that change the meaning of a filter.
  const { test } = element.attributes;
  if (test !== undefined && test !== 'allof') throw createUnsupportedError(element);
}

function parseCollation(name: string | undefined): Collation {
  if (name === undefined || name === 'default') return 'i;ascii-casemap';
  const collation = COLLATIONS.find((candidate) => candidate === name);
  if (collation === undefined) throw new DavError(403, tag('c:supported-collation'));
  return collation;
}

function parseTextMatch(element: Element | undefined, within: Element): TextMatch | undefined {
  if (element === undefined) return undefined;
  const { collation, 'negate-condition': negate = 'no', 'match-type': type = 'contains' } = element.attributes;
  if (negate !== 'yes' && negate !== 'no') throw createInvalidError();
  if (type !== 'contains') throw createUnsupportedError(within);
  return { text: element.text, isNegated: negate === 'yes', collation: parseCollation(collation) };
}

const hasNotDefined = (element: Element): boolean => findChild(element, 'c:is-not-defined') !== undefined;

const UNLIMITED = Number.POSITIVE_INFINITY;

function parseParameterFilter(element: Element): ParameterFilter {
  validateChildren(element, { 'c:is-not-defined': 1, 'c:text-match': 1 });
  const match = parseTextMatch(findChild(element, 'c:text-match'), element);
  return { name: getName(element), isAbsent: hasNotDefined(element), match };
}

/** Properties that a time range applies to. */
const TIMED_PROPERTIES = new Set(['COMPLETED', 'CREATED', 'DTEND', 'DTSTAMP', 'DTSTART', 'DUE', 'LAST-MODIFIED']);

function parseRange(element: Element, isAllowed: boolean): TimeRange | undefined {
  const range = findChild(element, 'c:time-range');
  if (range !== undefined && !isAllowed) throw createInvalidError();
  return range && parseTimeRange(range, createInvalidError);
}

function parsePropertyFilter(element: Element): PropertyFilter {
  validateChildren(element, {
    'c:is-not-defined': 1,
    'c:text-match': 1,
    'c:time-range': 1,
    'c:param-filter': UNLIMITED,
  });
  const name = getName(element);
  const range = parseRange(element, TIMED_PROPERTIES.has(name));
  const match = parseTextMatch(findChild(element, 'c:text-match'), element);
  if (range !== undefined && match !== undefined) throw createInvalidError();
  const parameters = element.children.filter((child) => child.name === 'c:param-filter').map(parseParameterFilter);
  return { name, isAbsent: hasNotDefined(element), range, match, parameters };
}

/** Possible parents of iCalendar components. */
const PARENTS_BY_COMPONENT: Readonly<Record<string, readonly string[]>> = {
  VCALENDAR: [''],
  VEVENT: ['VCALENDAR'],
  VTODO: ['VCALENDAR'],
  VJOURNAL: ['VCALENDAR'],
  VFREEBUSY: ['VCALENDAR'],
  VTIMEZONE: ['VCALENDAR'],
  STANDARD: ['VTIMEZONE'],
  DAYLIGHT: ['VTIMEZONE'],
  VALARM: ['VEVENT', 'VTODO'],
};
const TIMED_COMPONENTS = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY', 'VALARM']);

function parseComponentFilter(element: Element, parent: string): ComponentFilter {
  validateChildren(element, {
    'c:is-not-defined': 1,
    'c:time-range': 1,
    'c:prop-filter': UNLIMITED,
    'c:comp-filter': UNLIMITED,
  });
  const name = getName(element);
  const parents = PARENTS_BY_COMPONENT[name];
  if (parents === undefined ? parent === '' : !parents.includes(parent)) throw createInvalidError();
  return {
    name,
    isAbsent: hasNotDefined(element),
    range: parseRange(element, TIMED_COMPONENTS.has(name)),
    properties: element.children.filter((child) => child.name === 'c:prop-filter').map(parsePropertyFilter),
    components: element.children
      .filter((child) => child.name === 'c:comp-filter')
      .map((child) => parseComponentFilter(child, name)),
  };
}

/** Parses the filter of a `calendar-query` (RFC 4791 section 9.7). @throws DavError if it is invalid or unsupported */
export function parseFilter(filter: Element | undefined): ComponentFilter {
  if (filter === undefined) throw createInvalidError();
  validateChildren(filter, { 'c:comp-filter': 1 });
  const root = findChild(filter, 'c:comp-filter');
  if (root === undefined) throw createInvalidError();
  return parseComponentFilter(root, '');
}

/** Components that no object here has. */
const UNSTORED_COMPONENTS = new Set(['VTODO', 'VJOURNAL', 'VFREEBUSY']);

const isEvent = ({ name, isAbsent }: ComponentFilter): boolean => name === 'VEVENT' && !isAbsent;

/** Whether no object can match. */
export function matchesNothing({ isAbsent, components }: ComponentFilter): boolean {
  return (
    isAbsent ||
    components.some((component) =>
      component.isAbsent ? component.name === 'VEVENT' : UNSTORED_COMPONENTS.has(component.name),
    )
  );
}

/** Whether every object matches. */
export function matchesEverything({ isAbsent, properties, components }: ComponentFilter): boolean {
  return (
    !isAbsent &&
    properties.length === 0 &&
    components.every((component) =>
      component.isAbsent
        ? UNSTORED_COMPONENTS.has(component.name)
        : isEvent(component) &&
          component.range === undefined &&
          component.properties.length + component.components.length === 0,
    )
  );
}

/** Returns the time range that events must overlap, or undefined. */
export function findEventRange({ components }: ComponentFilter): TimeRange | undefined {
  return components.find((component) => isEvent(component) && component.range !== undefined)?.range;
}

/** Conditions for the UID, which is known without reading the text. */
export function listUidMatches({ components }: ComponentFilter): readonly TextMatch[] {
  return components
    .filter(isEvent)
    .flatMap(({ properties }) => properties.filter(({ name }) => name === 'UID').flatMap(({ match }) => match ?? []));
}
