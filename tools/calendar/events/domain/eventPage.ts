import { getMonday, toIso, type Day } from '#platform/contract/day.ts';
import { SPECIAL_EVENT_IDS } from '../../contract/events.ts';
import { formatShortDateRelativeTo, formatWeekday, formatWeek } from './dateNames.ts';
import type { RepeatUnit, Style } from './event.ts';
import { TRANSPARENT, weekdayColour } from './tags.ts';

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

interface Group {
  readonly label: string;
  readonly weekday: string;
  readonly colour: string;
  readonly entries: Entry[];
  readonly hidden?: number;
}
/** Keyed by ISO date. */
export type Dates = Record<string, Group>;

/** Maximum number of days with events on a page. */
export const PAGE_GROUPS = 14;
/** A page ends early after the day that brings it to this many entries. */
const MAX_PAGE_ENTRIES = 2000;

/** Entries by day, in order. */
export type Days = readonly (readonly [Day, readonly Entry[]])[];

/** Returns how many days make a page: at least one. */
export function pageLength(sizes: readonly number[]): number {
  let entries = 0;
  const enough = sizes.findIndex((size) => (entries += size) >= MAX_PAGE_ENTRIES);
  return Math.min(PAGE_GROUPS, enough === -1 ? sizes.length : enough + 1);
}

const { compare } = new Intl.Collator('en', { numeric: true });
/** Pinned entries first, then by time (all-day events before timed ones), then by name. */
export function compareEntries(one: Entry, other: Entry): number {
  return (
    Number(other.pinned) - Number(one.pinned) ||
    compareTexts(one.time ?? '', other.time ?? '') ||
    compare(one.name, other.name) ||
    one.eventid - other.eventid
  );
}
const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const spacer = (day: Day): Entry => ({
  name: formatWeek(day),
  eventid: SPECIAL_EVENT_IDS.week,
  type: 'calendar',
  colours: { background: TRANSPARENT, left: TRANSPARENT, right: TRANSPARENT },
  pinned: false,
});

/** Converts days to the wire format. If `before`, the preceding day, is given, each new week starts with a spacer. */
export function toDates(
  days: Days,
  { today, before, hidden }: { readonly today: Day; readonly before?: Day; readonly hidden: ReadonlyMap<Day, number> },
): Dates {
  let last = before;
  const groups = days.map(([day, entries]) => {
    const opensWeek = last !== undefined && getMonday(last) !== getMonday(day);
    if (last !== undefined) last = day;
    const others = hidden.get(day);
    const group = {
      label: formatShortDateRelativeTo(day, today),
      weekday: formatWeekday(day),
      colour: weekdayColour(day),
      entries: [...(opensWeek ? [spacer(day)] : []), ...entries.toSorted(compareEntries)],
      ...(others === undefined ? {} : { hidden: others }),
    };
    return [toIso(day), group] as const;
  });
  return Object.fromEntries(groups);
}
