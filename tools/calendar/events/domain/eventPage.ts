import { getMonday, toIso, type Day } from '#platform/contract/day.ts';
import { SPECIAL_EVENT_IDS } from '../../contract/events.ts';
import { formatShortDateRelativeTo, formatWeekday, formatWeek } from './dateNames.ts';
import type { RepeatUnit, Style } from './event.ts';
import { TRANSPARENT, getWeekdayColour } from './tags.ts';

/** An entry of a day, as the wire writes it. */
export interface Entry {
  readonly name: string;
  readonly eventid: number;
  readonly type: Style;
  readonly colours: { readonly background: string; readonly left: string; readonly right: string };
  readonly pinned: boolean;
  readonly time?: string;
  readonly endtime?: string;
  readonly part?: 'first' | 'middle' | 'last';
  readonly began?: string;
  readonly every?: number;
  readonly unit?: RepeatUnit;
  readonly fixed?: true;
}

interface DayGroup {
  readonly label: string;
  readonly weekday: string;
  readonly colour: string;
  readonly entries: Entry[];
  readonly hidden?: number;
}
/** Groups by ISO date. */
export type Dates = Record<string, DayGroup>;

/** Maximum number of days with events on a page. */
export const MAX_PAGE_DAYS = 14;
/** A page ends early after the day that brings it to this many entries. */
const MAX_PAGE_ENTRIES = 2000;

/** Entries by day, in order. */
export type DayEntries = readonly (readonly [Day, readonly Entry[]])[];

/** Returns how many days make a page: at least one. */
export function getPageLength(sizes: readonly number[]): number {
  let entries = 0;
  const lastIndex = sizes.findIndex((size) => (entries += size) >= MAX_PAGE_ENTRIES);
  return Math.min(MAX_PAGE_DAYS, lastIndex === -1 ? sizes.length : lastIndex + 1);
}

const { compare } = new Intl.Collator('en', { numeric: true });
/** Compares entries: pinned ones first, then by time (all-day events before timed ones), then by name. */
export function compareEntries(one: Entry, other: Entry): number {
  return (
    Number(other.pinned) - Number(one.pinned) ||
    compareTexts(one.time ?? '', other.time ?? '') ||
    compare(one.name, other.name) ||
    one.eventid - other.eventid
  );
}
const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const createSpacer = (day: Day): Entry => ({
  name: formatWeek(day),
  eventid: SPECIAL_EVENT_IDS.week,
  type: 'calendar',
  colours: { background: TRANSPARENT, left: TRANSPARENT, right: TRANSPARENT },
  pinned: false,
});

/** Converts days to the wire format. If `before`, the preceding day, is given, each new week starts with a spacer. */
export function toDates(
  days: DayEntries,
  { today, before, hidden }: { readonly today: Day; readonly before?: Day; readonly hidden: ReadonlyMap<Day, number> },
): Dates {
  let previous = before;
  const groups = days.map(([day, entries]) => {
    const isNewWeek = previous !== undefined && getMonday(previous) !== getMonday(day);
    if (previous !== undefined) previous = day;
    const hiddenCount = hidden.get(day);
    const group = {
      label: formatShortDateRelativeTo(day, today),
      weekday: formatWeekday(day),
      colour: getWeekdayColour(day),
      entries: [...(isNewWeek ? [createSpacer(day)] : []), ...entries.toSorted(compareEntries)],
      ...(hiddenCount === undefined ? {} : { hidden: hiddenCount }),
    };
    return [toIso(day), group] as const;
  });
  return Object.fromEntries(groups);
}
