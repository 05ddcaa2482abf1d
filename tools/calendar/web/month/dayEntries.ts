import type { AnswerOf } from '#platform/contract/call.ts';
import { toIso, type Day } from '#platform/contract/day.ts';
import type { eventsbetween } from '../../contract/events.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { DayRangeItem, WeightedItem } from '../../events/domain/weekLanes.ts';
import type { Selection } from '../selection.ts';
import type { Entry } from '../useCalendar.ts';

export type LoadedDays = AnswerOf<typeof eventsbetween>;

/** An event on its day, or on all days of a duration. */
export interface DayEntry extends DayRangeItem {
  readonly entry: Entry;
}

export interface PrioritizedEntry extends DayEntry, WeightedItem {}

/** Lists durations first, then entries of single days, in the server's order. */
export function listEntries({ dates, durations }: LoadedDays): readonly DayEntry[] {
  const long = durations.flatMap((entry): readonly DayEntry[] => {
    const from = parseDay(entry.date);
    const until = parseDay(entry.until);
    return from === undefined || until === undefined ? [] : [{ entry, from, until }];
  });
  const single = Object.entries(dates).flatMap(([iso, { entries }]) => {
    const day = parseDay(iso);
    // Ids below 1 are buttons of the rails, such as a week spacer.
    return day === undefined
      ? []
      : entries.filter(({ eventid }) => eventid > 0).map((entry): DayEntry => ({ entry, from: day, until: day }));
  });
  return [...long, ...single];
}

/** Formats `09:40`; for an event past midnight `22:00–24:00` on its first day and `00:00–02:00` on its last. */
export function formatEntryTime({ time, endtime, part }: DayEntry['entry']): string | undefined {
  if (part === 'middle') return 'all day';
  return part === undefined || time === undefined || endtime === undefined ? time : `${time}–${endtime}`;
}

/** Formats the time in short: `22:00` on the first day, `–02:00` on the last. */
export function formatShortEntryTime(entry: DayEntry['entry']): string | undefined {
  if (entry.part === 'middle') return undefined;
  return entry.part === 'last' && entry.endtime !== undefined ? `–${entry.endtime}` : entry.time;
}

/** Returns the day on which the occurrence of an entry starts. It differs for later parts of events past midnight. */
export function getFirstDay({ entry, from }: Pick<DayEntry, 'entry' | 'from'>): Day {
  return parseDay(entry.began ?? '') ?? from;
}

/** Identifies an entry on its day, which may have the end of one occurrence and the start of the next. */
export function getEntryKey(item: DayEntry): string {
  return `${item.entry.eventid} ${item.from} ${getFirstDay(item)} ${item.entry.time ?? ''}`;
}

/** Returns whether this is the event in the editor. For a repeat, only the selected day is. */
export function isSelected({ entry, from, until }: DayEntry, selection: Selection): boolean {
  if (selection.kind !== 'event' || selection.id !== entry.eventid) return false;
  const day = parseDay(selection.date);
  if (entry.type !== 'repeat' || day === undefined) return entry.type !== 'repeat';
  return entry.began === undefined ? from <= day && day <= until : parseDay(entry.began) === day;
}

/** Gives selected, then pinned entries a higher weight if not everything fits. */
export function weighEntries(entries: readonly DayEntry[], selection: Selection): readonly PrioritizedEntry[] {
  return entries.map((each) => ({ ...each, weight: isSelected(each, selection) ? 2 : each.entry.pinned ? 1 : 0 }));
}

export function listEntriesOn<Each extends DayRangeItem>(entries: readonly Each[], day: Day): readonly Each[] {
  return entries.filter(({ from, until }) => from <= day && day <= until);
}

/** Counts the events of each day that are not among its entries. */
export function countHiddenByDay(dates: LoadedDays['dates']): ReadonlyMap<Day, number> {
  return new Map(
    Object.entries(dates).flatMap(([iso, { hidden = 0 }]): readonly (readonly [Day, number])[] => {
      const day = parseDay(iso);
      return day === undefined || hidden === 0 ? [] : [[day, hidden]];
    }),
  );
}

/** Sorts the list of a day: single days first, durations last. */
export function sortDayList<Each extends DayRangeItem>(entries: readonly Each[]): readonly Each[] {
  return entries.toSorted((one, other) => Number(one.until > one.from) - Number(other.until > other.from));
}

// Optimistic updates ----------------------------------------------------------------------------------

export interface PendingMove {
  /** The entry before the change. If it is no longer there, the change is already known. */
  readonly item: DayEntry;
  /** The day of the entry that was moved. */
  readonly from: Day;
  /** Undefined: deleted. */
  readonly to: Day | undefined;
  /** Whether only that day of a repeat is meant. */
  readonly only: boolean;
  /**
   * The account's revision after the change; undefined while it is unanswered. Later data already contain the change.
   */
  readonly revision?: number;
}

const isSameEntry = (one: DayEntry, other: DayEntry): boolean =>
  one.entry.eventid === other.entry.eventid &&
  one.from === other.from &&
  one.until === other.until &&
  one.entry.time === other.entry.time;

/** Returns whether two entries are parts of one occurrence. */
const isSameOccurrence = (one: DayEntry, other: DayEntry): boolean =>
  one.entry.eventid === other.entry.eventid && getFirstDay(one) === getFirstDay(other);

/** Converts one day of a repeat to an event of its own. */
const toSingleEntry = ({ every: _every, unit: _unit, ...entry }: Entry): Entry => entry;

function applyChange(entries: readonly DayEntry[], { item, from, to, only }: PendingMove): readonly DayEntry[] {
  if (!entries.some((each) => isSameEntry(each, item))) return entries;
  return entries.flatMap((each) => {
    const isAffected = only ? isSameOccurrence(each, item) : each.entry.eventid === item.entry.eventid;
    if (!isAffected) return [each];
    if (to === undefined) return [];
    const by = to - from;
    const entry = only ? toSingleEntry(each.entry) : each.entry;
    const began = entry.began === undefined ? {} : { began: toIso(getFirstDay(each) + by) };
    return [{ entry: { ...entry, ...began }, from: each.from + by, until: each.until + by }];
  });
}

/** Applies pending changes to entries whose revision doesn't contain them yet. */
export function applyPending(
  entries: readonly DayEntry[],
  pending: readonly PendingMove[],
  revision: number,
): readonly DayEntry[] {
  return pending
    .filter((change) => change.revision === undefined || change.revision > revision)
    .reduce<readonly DayEntry[]>(applyChange, entries);
}
