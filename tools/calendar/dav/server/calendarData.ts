import { toLocalMs, UTC } from '../../events/domain/timeZone.ts';
import type { PropertyLine } from '../../exchange/server/ics/contentLines.ts';
import {
  type DateTime,
  formatDateTimeLine,
  parseDateTime,
  readDateTime,
  splitValues,
  findZone,
} from '../../exchange/server/ics/dateTime.ts';
import { type ComponentTree, formatComponentTree, findProperty } from './componentTree.ts';
import { DavError } from './davRequest.ts';
import { isWithin, parseTimeRange, type TimeRange } from './filter.ts';
import type { CalendarObject, Instance } from './instances.ts';
import { findChild, type Element, tag } from './xml.ts';

/** The requested parts of a component (RFC 4791 section 9.6.1). Undefined is the whole component. */
interface ComponentSelection {
  readonly name: string;
  /** Upper-case names, and whether the value is requested. Undefined is every property. */
  readonly properties: ReadonlyMap<string, { readonly hasValue: boolean }> | undefined;
  /** Undefined is every component. */
  readonly components: readonly ComponentSelection[] | undefined;
}

/** The requested form of the data. By default objects are returned unchanged. */
export interface DataRequest {
  readonly parts: ComponentSelection | undefined;
  /** Return the single instances of repeats in this range. */
  readonly expand: TimeRange | undefined;
  /** Return only those changed instances that affect this range. */
  readonly limit: TimeRange | undefined;
}

const createBadRequest = (): DavError => new DavError(400);

function getName({ attributes }: Element): string {
  const name = attributes['name']?.trim().toUpperCase();
  if (!name) throw createBadRequest();
  return name;
}

function parsePropertySelection(element: Element): readonly [string, { readonly hasValue: boolean }] {
  const { novalue = 'no' } = element.attributes;
  if (novalue !== 'yes' && novalue !== 'no') throw createBadRequest();
  return [getName(element), { hasValue: novalue === 'no' }];
}

function parseSelection(element: Element): ComponentSelection {
  const name = getName(element);
  const children = element.children.filter((child) => child.name.startsWith('c:'));
  if (children.some((child) => !['c:prop', 'c:allprop', 'c:comp', 'c:allcomp'].includes(child.name)))
    throw createBadRequest();
  // An empty element requests the whole component.
  if (children.length === 0) return { name, properties: undefined, components: undefined };
  const listChildren = (kind: string): readonly Element[] => children.filter((child) => child.name === kind);
  const [properties, components] = [listChildren('c:prop'), listChildren('c:comp')];
  const isAllProperties = findChild(element, 'c:allprop') !== undefined;
  const isAllComponents = findChild(element, 'c:allcomp') !== undefined;
  if ((isAllProperties && properties.length > 0) || (isAllComponents && components.length > 0))
    throw createBadRequest();
  return {
    name,
    properties: isAllProperties ? undefined : new Map(properties.map(parsePropertySelection)),
    components: isAllComponents ? undefined : components.map(parseSelection),
  };
}

const parseRange = (element: Element | undefined): TimeRange | undefined =>
  element && parseTimeRange(element, createBadRequest, 'both');

const DATA_ELEMENTS = ['c:comp', 'c:expand', 'c:limit-recurrence-set', 'c:limit-freebusy-set'];

function validateDataElement({ attributes, children }: Element): void {
  const { 'content-type': type = 'text/calendar', version = '2.0' } = attributes;
  if (type.toLowerCase() !== 'text/calendar' || version !== '2.0')
    throw new DavError(403, tag('c:supported-calendar-data'));
  const names = children.map(({ name }) => name).filter((name) => name.startsWith('c:'));
  if (names.some((name, index) => !DATA_ELEMENTS.includes(name) || names.indexOf(name) !== index))
    throw createBadRequest();
}

/**
 * Reads a report's `calendar-data`. Returns undefined if unchanged objects are requested.
 * @throws DavError for an unsupported media type or an invalid request
 */
export function parseDataRequest(element: Element | undefined): DataRequest | undefined {
  if (element === undefined) return undefined;
  validateDataElement(element);
  const comp = findChild(element, 'c:comp');
  const parts = comp && parseSelection(comp);
  const expand = parseRange(findChild(element, 'c:expand'));
  const limit = parseRange(findChild(element, 'c:limit-recurrence-set'));
  if ((parts !== undefined && parts.name !== 'VCALENDAR') || (expand && limit)) throw createBadRequest();
  // Validated only: no object here has free-busy times to limit.
  parseRange(findChild(element, 'c:limit-freebusy-set'));
  return (parts ?? expand ?? limit) ? { parts, expand, limit } : undefined;
}

// Parts ------------------------------------------------------------------------------------------------

function selectParts(component: ComponentTree, parts: ComponentSelection): ComponentTree {
  const { properties, components } = parts;
  return {
    name: component.name,
    properties: component.properties.flatMap((property) => {
      const part = properties?.get(property.name);
      if (properties !== undefined && part === undefined) return [];
      return [part?.hasValue === false ? { ...property, value: '' } : property];
    }),
    components:
      components === undefined
        ? component.components
        : component.components.flatMap((inner) => {
            const part = components.find(({ name }) => name === inner.name);
            return part === undefined ? [] : [selectParts(inner, part)];
          }),
  };
}

// Time ranges ------------------------------------------------------------------------------------------

/** Maximum number and size of the instances in one answer. */
export interface ExpansionBudget {
  instances: number;
  bytes: number;
}

export function createExpansionBudget(): ExpansionBudget {
  return { instances: 20_000, bytes: 32 * 1024 * 1024 };
}

/** RFC 4791 section 7.8: the result exceeds a limit. */
export function createLimitError(): DavError {
  return new DavError(403, tag('d:number-of-matches-within-limits'));
}

const RECURRENCE_PROPERTIES = new Set(['RRULE', 'RDATE', 'EXDATE', 'EXRULE', 'RECURRENCE-ID']);

/** Converts a property's times to UTC, if they are in a zone. */
function toUtcProperty(property: PropertyLine, { reader }: CalendarObject): PropertyLine {
  const zone = findZone(property, reader);
  if (zone === undefined) return property;
  const values = splitValues(property.value).map((value) => {
    const dateTime = parseDateTime(value, zone);
    return dateTime === undefined || dateTime.isDate ? value : formatDateTimeLine(property.name, dateTime).value;
  });
  const head = property.head.replaceAll(/;TZID=(?:"[^"]*"|[^;"]*)/gi, '');
  return { ...property, head, value: values.join(',') };
}

/** Writes the start or end of an instance in the property's own kind of time. */
function toInstanceLine(property: PropertyLine, { start, until }: Instance, { reader }: CalendarObject): PropertyLine {
  if (property.name === 'DTSTART') return formatDateTimeLine('DTSTART', start);
  const end = parseDateTime(property.value, findZone(property, reader));
  if (end === undefined) return property;
  const isLocal = end.isDate || end.zone === undefined;
  const localMs = isLocal ? toLocalMs(reader.floating, until) : until;
  return formatDateTimeLine('DTEND', { isDate: end.isDate, localMs, zone: isLocal ? undefined : UTC });
}

const isStart = ({ series, reader }: CalendarObject, { localMs }: DateTime): boolean =>
  localMs === (series.master && readDateTime(findProperty(series.master, 'DTSTART'), reader))?.localMs;

function toInstanceComponent(instance: Instance, object: CalendarObject): ComponentTree {
  const { component, start, recurrence } = instance;
  const properties = component.properties
    .filter(({ name }) => !RECURRENCE_PROPERTIES.has(name))
    .map((property) =>
      property.name === 'DTSTART' || property.name === 'DTEND'
        ? toInstanceLine(property, instance, object)
        : toUtcProperty(property, object),
    );
  // The first instance is the event itself, without a `RECURRENCE-ID`.
  const isFirst = recurrence === undefined || (component === object.series.master && isStart(object, start));
  const recurrenceIdLines = isFirst ? [] : [formatDateTimeLine('RECURRENCE-ID', recurrence)];
  return { ...component, properties: [...properties, ...recurrenceIdLines] };
}

const isZone = ({ name }: ComponentTree): boolean => name === 'VTIMEZONE';

function expandInstances(object: CalendarObject, range: TimeRange, budget: ExpansionBudget): ComponentTree {
  const { tree, series } = object;
  const instances: Instance[] = [];
  for (const instance of series.iterateInstances(range, object.budget)) {
    if (!isWithin(range, instance.from, instance.until)) continue;
    instances.push(instance);
    budget.instances -= 1;
    if (budget.instances < 0) throw createLimitError();
  }
  if (object.budget.left <= 0) throw createLimitError();
  const inOrder = instances.toSorted((one, other) => one.from - other.from);
  const others = tree.components.filter((component) => !isZone(component) && component.name !== 'VEVENT');
  return { ...tree, components: [...others, ...inOrder.map((instance) => toInstanceComponent(instance, object))] };
}

function limitToRange({ tree, series, budget }: CalendarObject, range: TimeRange): ComponentTree {
  function isRelevant(component: ComponentTree): boolean {
    const property = findProperty(component, 'RECURRENCE-ID');
    if (property === undefined || /;RANGE=/i.test(property.head)) return true;
    const original = series.findOriginal(component);
    if (original && isWithin(range, original.from, original.until)) return true;
    for (const instance of series.iterateInstances(range, budget))
      if (instance.component === component) return isWithin(range, instance.from, instance.until);
    return false;
  }
  return {
    ...tree,
    components: tree.components.filter((component) => component.name !== 'VEVENT' || isRelevant(component)),
  };
}

/** Formats an object as requested. @throws DavError if the answer exceeds a limit */
export function formatData(object: CalendarObject, request: DataRequest, budget: ExpansionBudget): string {
  const { parts, expand, limit } = request;
  const whole = expand ? expandInstances(object, expand, budget) : limit ? limitToRange(object, limit) : object.tree;
  const text = formatComponentTree(parts === undefined ? whole : selectParts(whole, parts));
  budget.bytes -= text.length;
  if (expand !== undefined && budget.bytes < 0) throw createLimitError();
  return text;
}
