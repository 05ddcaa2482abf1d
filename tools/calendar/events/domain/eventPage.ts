import { SPECIAL } from '../../contract/events.ts';
import { shortDateNameBeside, weekdayName, weekName } from './dateNames.ts';
import { mondayOf, toIso } from './day.ts';
import type { Day } from './day.ts';
import type { RepeatUnit, Style } from './event.ts';
import { TRANSPARENT, weekdayColour } from './tags.ts';

/** A line of a day, as the wire has it. */
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
/** By ISO date. */
export type Dates = Record<string, Group>;

/** Days with events that a page has at most. */
export const PAGE_GROUPS = 14;
/** A page ends sooner behind a day with which it has this many entries. */
const PAGE_ENTRIES = 2000;

/** The entries of each day, days in order. */
export type Days = readonly (readonly [Day, readonly Entry[]])[];

/** How many of the days make a page: one at least. */
export function pageLength(sizes: readonly number[]): number {
  let entries = 0;
  const enough = sizes.findIndex((size) => (entries += size) >= PAGE_ENTRIES);
  return Math.min(PAGE_GROUPS, enough === -1 ? sizes.length : enough + 1);
}

const { compare } = new Intl.Collator('en', { numeric: true });
/** Pinned first, then by time, whole days before times, then by name. */
export function inOrder(one: Entry, other: Entry): number {
  return (
    Number(other.pinned) - Number(one.pinned) ||
    compareTexts(one.time ?? '', other.time ?? '') ||
    compare(one.name, other.name) ||
    one.eventid - other.eventid
  );
}
const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const spacer = (day: Day): Entry => ({
  name: weekName(day),
  eventid: SPECIAL.week,
  type: 'calendar',
  colours: { background: TRANSPARENT, left: TRANSPARENT, right: TRANSPARENT },
  pinned: false,
});

/** Days as the wire has them; with `before`, the day that stands before them, each new week begins with a spacer. */
export function datesOf(
  days: Days,
  { today, before, hidden }: { readonly today: Day; readonly before?: Day; readonly hidden: ReadonlyMap<Day, number> },
): Dates {
  let last = before;
  const groups = days.map(([day, entries]) => {
    const opensWeek = last !== undefined && mondayOf(last) !== mondayOf(day);
    if (last !== undefined) last = day;
    const others = hidden.get(day);
    const group = {
      label: shortDateNameBeside(day, today),
      weekday: weekdayName(day),
      colour: weekdayColour(day),
      entries: [...(opensWeek ? [spacer(day)] : []), ...entries.toSorted(inOrder)],
      ...(others === undefined ? {} : { hidden: others }),
    };
    return [toIso(day), group] as const;
  });
  return Object.fromEntries(groups);
}
