import type { Zone } from '../../events/domain/timeZone.ts';
import type { DateTimeReader } from '../../exchange/server/ics/dateTime.ts';
import { zonesOf } from '../../exchange/server/ics/zones.ts';
import type { Budget } from '../../repeat/domain/recurrenceRule.ts';
import { type ComponentTree, formatComponentTree, parseComponentTree } from './componentTree.ts';
import { createEventSeries, type EventSeries } from './instances.ts';

/** An object's text, taken apart. */
export interface CalendarObject {
  readonly tree: ComponentTree;
  readonly reader: DateTimeReader;
  readonly series: EventSeries;
  /** What working out its repeat may still cost, in days or steps looked at. */
  readonly budget: Budget;
}

/** A repeat that is asked for more costs others their time. */
export const OBJECT_BUDGET = 300_000;

/** Takes an object's text apart. `floating` is the zone in which dates and floating times are taken. */
export function createCalendarObject(text: string, floating: Zone): CalendarObject {
  const tree = parseComponentTree(text);
  const described = tree.components.filter(({ name }) => name === 'VTIMEZONE');
  const reader = { zones: zonesOf(described.map(formatComponentTree)), floating };
  const events = tree.components.filter(({ name }) => name === 'VEVENT');
  return { tree, reader, series: createEventSeries(events, reader), budget: { left: OBJECT_BUDGET } };
}
