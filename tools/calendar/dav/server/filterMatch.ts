import { DAY_MS } from '#platform/contract/duration.ts';
import { UTC } from '../../events/domain/timeZone.ts';
import { getParameterValues, type PropertyLine, getTextValue } from '../../exchange/server/ics/contentLines.ts';
import {
  addDuration,
  type Duration,
  parseDuration,
  readDateTime,
  toInstant,
} from '../../exchange/server/ics/dateTime.ts';
import { type ComponentTree, listProperties, findProperty } from './componentTree.ts';
import {
  type Collation,
  type ComponentFilter,
  type ParameterFilter,
  type PropertyFilter,
  type TextMatch,
  isWithin,
  type TimeRange,
} from './filter.ts';
import type { CalendarObject, Instance } from './instances.ts';

// Texts ------------------------------------------------------------------------------------------------

/** Converts a character to title case, as RFC 5051 compares. Characters that would become several stay unchanged. */
function toTitleCase(letter: string): string {
  const upper = letter.toUpperCase();
  return Array.from(upper).length === 1 ? upper : letter;
}

const FOLD_BY_COLLATION: Readonly<Record<Collation, (text: string) => string>> = {
  'i;octet': (text) => text,
  'i;ascii-casemap': (text) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
  'i;unicode-casemap': (text) => Array.from(text, toTitleCase).join('').normalize('NFKD'),
};

/** Maximum length of a value that is searched. */
const MAX_SEARCHED_LENGTH = 100_000;

/** Whether a text contains another one, in a collation. */
export function matchesText(value: string, { text, isNegated, collation }: TextMatch): boolean {
  const fold = FOLD_BY_COLLATION[collation];
  return fold(value.slice(0, MAX_SEARCHED_LENGTH)).includes(fold(text)) !== isNegated;
}

function matchesParameter(property: PropertyLine, { name, isAbsent, match }: ParameterFilter): boolean {
  const values = getParameterValues(property, name);
  if (values === undefined) return isAbsent;
  return !isAbsent && (match === undefined || values.some((value) => matchesText(value, match)));
}

// Times ------------------------------------------------------------------------------------------------

function hasInstance(
  { series, budget }: CalendarObject,
  range: TimeRange,
  isWanted: (instance: Instance) => boolean,
): boolean {
  for (const instance of series.iterateInstances(range, budget)) if (isWanted(instance)) return true;
  return false;
}

const hasOverlap = (object: CalendarObject, component: ComponentTree, range: TimeRange): boolean =>
  hasInstance(
    object,
    range,
    (instance) => instance.component === component && isWithin(range, instance.from, instance.until),
  );

/** When an alarm goes off, relative to its event's start or end. */
interface Trigger {
  readonly isOfEnd: boolean;
  readonly first: Duration;
  /** Milliseconds from the first time to each repetition, including 0 for the first itself. */
  readonly later: readonly number[];
}

const MAX_REPETITIONS = 1000;
const toApproximateMs = ({ days, ms }: Duration): number => days * DAY_MS + ms;

function listRepetitions(alarm: ComponentTree): readonly number[] {
  const count = Number(findProperty(alarm, 'REPEAT')?.value ?? 0);
  const interval = parseDuration(findProperty(alarm, 'DURATION')?.value ?? '');
  if (interval === undefined || !Number.isSafeInteger(count) || count < 1) return [0];
  return Array.from(
    { length: Math.min(count, MAX_REPETITIONS) + 1 },
    (_none, index) => index * toApproximateMs(interval),
  );
}

const isAt = ({ start, end }: TimeRange, moment: number): boolean => start <= moment && moment < end;

function hasTriggerIn(
  object: CalendarObject,
  { component, trigger: { isOfEnd, first, later } }: { readonly component: ComponentTree; readonly trigger: Trigger },
  range: TimeRange,
): boolean {
  const { floating } = object.reader;
  const [earliest, latest] = [toApproximateMs(first), toApproximateMs(first) + (later.at(-1) ?? 0)];
  const around = { start: range.start - latest - 2 * DAY_MS, end: range.end - earliest + 2 * DAY_MS };
  return hasInstance(object, around, (instance) => {
    if (instance.component !== component) return false;
    const base = isOfEnd ? { localMs: instance.until, isDate: false, zone: UTC } : instance.start;
    const moment = addDuration(base, first, floating);
    return later.some((delay) => isAt(range, moment + delay));
  });
}

/** Whether an alarm of a component goes off in a range. For a repeat, any of its alarms. */
function hasAlarmIn(object: CalendarObject, component: ComponentTree, alarm: ComponentTree, range: TimeRange): boolean {
  const property = findProperty(alarm, 'TRIGGER');
  if (property === undefined) return false;
  const later = listRepetitions(alarm);
  const first = parseDuration(property.value);
  if (first) {
    const isOfEnd = getParameterValues(property, 'RELATED')?.[0]?.toUpperCase() === 'END';
    return hasTriggerIn(object, { component, trigger: { isOfEnd, first, later } }, range);
  }
  const moment = readDateTime(property, object.reader);
  return moment !== undefined && later.some((delay) => isAt(range, toInstant(moment, object.reader.floating) + delay));
}

/** Whether the start or end of any instance is in a range. The end may also follow from a duration. */
function hasBoundIn(object: CalendarObject, component: ComponentTree, name: string, range: TimeRange): boolean {
  if (name === 'DTEND' && !['DTEND', 'DURATION'].some((propertyName) => findProperty(component, propertyName)))
    return false;
  return hasInstance(
    object,
    range,
    (instance) => instance.component === component && isAt(range, name === 'DTSTART' ? instance.from : instance.until),
  );
}

// Properties and components ----------------------------------------------------------------------------

function matchesProperty(object: CalendarObject, component: ComponentTree, filter: PropertyFilter): boolean {
  const { name, isAbsent, range, match, parameters } = filter;
  const matches = listProperties(component, name);
  if (isAbsent) return matches.length === 0;
  if (range && component.name === 'VEVENT' && (name === 'DTSTART' || name === 'DTEND')) {
    const isRight = parameters.every((parameter) => matches.some((property) => matchesParameter(property, parameter)));
    return isRight && hasBoundIn(object, component, name, range);
  }
  return matches.some((property) => {
    const moment = range && readDateTime(property, object.reader);
    const isTimeInRange = !range || (moment !== undefined && isAt(range, toInstant(moment, object.reader.floating)));
    const isText = match === undefined || matchesText(getTextValue(property), match);
    return isTimeInRange && isText && parameters.every((parameter) => matchesParameter(property, parameter));
  });
}

function isInRange(
  object: CalendarObject,
  component: ComponentTree,
  parent: ComponentTree | undefined,
  range: TimeRange,
): boolean {
  if (component.name === 'VEVENT') return hasOverlap(object, component, range);
  return component.name === 'VALARM' && parent !== undefined && hasAlarmIn(object, parent, component, range);
}

const matchesComponent = (
  object: CalendarObject,
  { component, parent }: { readonly component: ComponentTree; readonly parent: ComponentTree | undefined },
  filter: ComponentFilter,
): boolean =>
  filter.properties.every((property) => matchesProperty(object, component, property)) &&
  filter.components.every((inner) => matchesAny(object, component.components, component, inner)) &&
  (filter.range === undefined || isInRange(object, component, parent, filter.range));

function matchesAny(
  object: CalendarObject,
  scope: readonly ComponentTree[],
  parent: ComponentTree | undefined,
  filter: ComponentFilter,
): boolean {
  const matches = scope.filter(({ name }) => name === filter.name);
  if (filter.isAbsent) return matches.length === 0;
  return matches.some((component) => matchesComponent(object, { component, parent }, filter));
}

/** Whether an object matches a `calendar-query` (RFC 4791 sections 9.7 and 9.9). */
export function matchesFilter(object: CalendarObject, filter: ComponentFilter): boolean {
  return matchesAny(object, [object.tree], undefined, filter);
}
