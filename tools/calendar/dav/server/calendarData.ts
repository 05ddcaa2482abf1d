import { toWall, UTC } from '../../events/domain/timeZone.ts';
import type { PropertyLine } from '../../exchange/server/ics/contentLines.ts';
import {
  type DateTime,
  dateTimeLine,
  parseDateTime,
  readDateTime,
  valuesIn,
  findZone,
} from '../../exchange/server/ics/dateTime.ts';
import { type ComponentTree, formatComponentTree, findProperty } from './componentTree.ts';
import { DavError } from './davRequest.ts';
import { isWithin, readTimeRange, type TimeRange } from './filter.ts';
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

const malformed = (): DavError => new DavError(400);

const getName = ({ attributes }: Element): string => {
  const name = attributes['name']?.trim().toUpperCase();
  if (!name) throw malformed();
  return name;
};

const propertyPart = (element: Element): readonly [string, { readonly hasValue: boolean }] => {
  const { novalue = 'no' } = element.attributes;
  if (novalue !== 'yes' && novalue !== 'no') throw malformed();
  return [getName(element), { hasValue: novalue === 'no' }];
};

const parseSelection = (element: Element): ComponentSelection => {
  const name = getName(element);
  const own = element.children.filter((child) => child.name.startsWith('c:'));
  if (own.some((child) => !['c:prop', 'c:allprop', 'c:comp', 'c:allcomp'].includes(child.name))) throw malformed();
  // An empty element requests the whole component.
  if (own.length === 0) return { name, properties: undefined, components: undefined };
  const named = (kind: string): readonly Element[] => own.filter((child) => child.name === kind);
  const [properties, components] = [named('c:prop'), named('c:comp')];
  const [isAllProperties, isAllComponents] = [named('c:allprop').length > 0, named('c:allcomp').length > 0];
  if ((isAllProperties && properties.length > 0) || (isAllComponents && components.length > 0)) throw malformed();
  return {
    name,
    properties: isAllProperties ? undefined : new Map(properties.map(propertyPart)),
    components: isAllComponents ? undefined : components.map(parseSelection),
  };
};

const parseRange = (element: Element | undefined): TimeRange | undefined =>
  element && readTimeRange(element, malformed, 'both');

const PARTS = ['c:comp', 'c:expand', 'c:limit-recurrence-set', 'c:limit-freebusy-set'];

const checkDataElement = ({ attributes, children }: Element): void => {
  const { 'content-type': type = 'text/calendar', version = '2.0' } = attributes;
  if (type.toLowerCase() !== 'text/calendar' || version !== '2.0')
    throw new DavError(403, tag('c:supported-calendar-data'));
  const names = children.map(({ name }) => name).filter((name) => name.startsWith('c:'));
  if (names.some((name, at) => !PARTS.includes(name) || names.indexOf(name) !== at)) throw malformed();
};

/**
 * Reads a report's `calendar-data`. Returns undefined if unchanged objects are requested.
 * @throws DavError for an unsupported media type or an invalid request
 */
export function readDataRequest(element: Element | undefined): DataRequest | undefined {
  if (element === undefined) return undefined;
  checkDataElement(element);
  const comp = findChild(element, 'c:comp');
  const parts = comp && parseSelection(comp);
  const expand = parseRange(findChild(element, 'c:expand'));
  const limit = parseRange(findChild(element, 'c:limit-recurrence-set'));
  if ((parts !== undefined && parts.name !== 'VCALENDAR') || (expand && limit)) throw malformed();
  // Validated only: no object here has free-busy times to limit.
  parseRange(findChild(element, 'c:limit-freebusy-set'));
  return (parts ?? expand ?? limit) ? { parts, expand, limit } : undefined;
}

// Parts ------------------------------------------------------------------------------------------------

const selectParts = (component: ComponentTree, parts: ComponentSelection): ComponentTree => {
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
};

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
export function tooManyMatches(): DavError {
  return new DavError(403, tag('d:number-of-matches-within-limits'));
}

const RECURRENCE = new Set(['RRULE', 'RDATE', 'EXDATE', 'EXRULE', 'RECURRENCE-ID']);

/** Converts a property's times to UTC, if they are in a zone. */
const inUtc = (property: PropertyLine, { reader }: CalendarObject): PropertyLine => {
  const zone = findZone(property, reader);
  if (zone === undefined) return property;
  const values = valuesIn(property.value).map((value) => {
    const one = parseDateTime(value, zone);
    return one === undefined || one.isDate ? value : dateTimeLine(property.name, one).value;
  });
  const head = property.head.replaceAll(/;TZID=(?:"[^"]*"|[^;"]*)/gi, '');
  return { ...property, head, value: values.join(',') };
};

/** Writes the start or end of an instance in the property's own kind of time. */
const moveLine = (property: PropertyLine, { start, until }: Instance, { reader }: CalendarObject): PropertyLine => {
  if (property.name === 'DTSTART') return dateTimeLine('DTSTART', start);
  const end = parseDateTime(property.value, findZone(property, reader));
  if (end === undefined) return property;
  const isLocal = end.isDate || end.zone === undefined;
  const wall = isLocal ? toWall(reader.floating, until) : until;
  return dateTimeLine('DTEND', { isDate: end.isDate, wall, zone: isLocal ? undefined : UTC });
};

const isStart = ({ series, reader }: CalendarObject, { wall }: DateTime): boolean =>
  wall === (series.master && readDateTime(findProperty(series.master, 'DTSTART'), reader))?.wall;

const instanceComponent = (instance: Instance, object: CalendarObject): ComponentTree => {
  const { component, start, recurrence } = instance;
  const properties = component.properties
    .filter(({ name }) => !RECURRENCE.has(name))
    .map((property) =>
      property.name === 'DTSTART' || property.name === 'DTEND'
        ? moveLine(property, instance, object)
        : inUtc(property, object),
    );
  // The first instance is the event itself, without a `RECURRENCE-ID`.
  const isFirst = recurrence === undefined || (component === object.series.master && isStart(object, start));
  const own = isFirst ? [] : [dateTimeLine('RECURRENCE-ID', recurrence)];
  return { ...component, properties: [...properties, ...own] };
};

const isZone = ({ name }: ComponentTree): boolean => name === 'VTIMEZONE';

const expanded = (object: CalendarObject, range: TimeRange, budget: ExpansionBudget): ComponentTree => {
  const { tree, series } = object;
  const instances: Instance[] = [];
  for (const instance of series.instances(range, object.budget)) {
    if (!isWithin(range, instance.from, instance.until)) continue;
    instances.push(instance);
    budget.instances -= 1;
    if (budget.instances < 0) throw tooManyMatches();
  }
  if (object.budget.left <= 0) throw tooManyMatches();
  const inOrder = instances.toSorted((one, other) => one.from - other.from);
  const others = tree.components.filter((one) => !isZone(one) && one.name !== 'VEVENT');
  return { ...tree, components: [...others, ...inOrder.map((instance) => instanceComponent(instance, object))] };
};

const limitToRange = ({ tree, series, budget }: CalendarObject, range: TimeRange): ComponentTree => {
  const matters = (component: ComponentTree): boolean => {
    const property = findProperty(component, 'RECURRENCE-ID');
    if (property === undefined || /;RANGE=/i.test(property.head)) return true;
    const original = series.findOriginal(component);
    if (original && isWithin(range, original.from, original.until)) return true;
    for (const one of series.instances(range, budget))
      if (one.component === component) return isWithin(range, one.from, one.until);
    return false;
  };
  return { ...tree, components: tree.components.filter((one) => one.name !== 'VEVENT' || matters(one)) };
};

/** Formats an object as requested. @throws DavError if the answer exceeds a limit */
export function formatData(object: CalendarObject, request: DataRequest, budget: ExpansionBudget): string {
  const { parts, expand, limit } = request;
  const whole = expand ? expanded(object, expand, budget) : limit ? limitToRange(object, limit) : object.tree;
  const text = formatComponentTree(parts === undefined ? whole : selectParts(whole, parts));
  budget.bytes -= text.length;
  if (expand !== undefined && budget.bytes < 0) throw tooManyMatches();
  return text;
}
