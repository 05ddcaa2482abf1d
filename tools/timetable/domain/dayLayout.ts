import { END_OF_DAY, SNAP, type Minute, type TimeSpan } from './slot.ts';

/** A slot to draw. The id identifies it across renders. */
export interface DrawnSlot extends TimeSpan {
  readonly id: number | string;
}

export interface ColumnPosition<Item> {
  readonly item: Item;
  /** Index from the left, starting at 0. */
  readonly column: number;
  /** Number of columns it covers: more than one if the columns to its right are free during its time. */
  readonly across: number;
  /** Number of columns of its group of overlapping slots. */
  readonly columns: number;
  /** The part of the day it covers: its own time, or more if it would be too short to see. */
  readonly shown: TimeSpan;
}

export interface Layout {
  /** Minimum height in minutes: shorter slots are drawn and laid out with this length. */
  readonly least?: Minute;
  /** Previous columns by slot id, which are reused if possible. */
  readonly before?: ReadonlyMap<DrawnSlot['id'], number>;
}

/** Returns the part of the day that a slot covers, at least `least` minutes. */
export function getShownSpan({ start, end }: TimeSpan, min: Minute): TimeSpan {
  if (end - start >= min) return { start, end };
  const from = Math.max(0, Math.min(start, END_OF_DAY - min));
  return { start: from, end: Math.max(end, from + min) };
}

export function doOverlap(a: TimeSpan, b: TimeSpan): boolean {
  return a.start < b.end && b.start < a.end;
}

interface ShownItem<Item> {
  readonly item: Item;
  readonly shown: TimeSpan;
}

// Numbers before texts: both kinds of ids exist while a new slot is being saved.
const byId = (a: DrawnSlot['id'], b: DrawnSlot['id']): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return Number(a > b) - Number(a < b);
};

/** Groups slots that overlap directly or through others. */
const groupOverlapping = <Item>(sorted: readonly ShownItem<Item>[]): readonly (readonly ShownItem<Item>[])[] => {
  const groups: ShownItem<Item>[][] = [];
  let until = -Infinity;
  for (const each of sorted) {
    const last = groups.at(-1);
    if (last && each.shown.start < until) last.push(each);
    else groups.push([each]);
    until = Math.max(until, each.shown.end);
  }
  return groups;
};

/** Returns the maximum number of slots that overlap at one moment. */
const getDepth = (group: readonly ShownItem<unknown>[]): number => {
  const depths = group.map(
    ({ shown: { start } }) => group.filter(({ shown }) => shown.start <= start && start < shown.end).length,
  );
  return Math.max(...depths);
};

/**
 * Assigns columns within one group. In order of start, fewer than `columns` others are running when a slot starts,
 * so a column is always free, even if previous columns are reused.
 */
const layOutGroup = <Item extends DrawnSlot>(
  group: readonly ShownItem<Item>[],
  before: Layout['before'],
): readonly ColumnPosition<Item>[] => {
  const columns = getDepth(group);
  const all = Array.from({ length: columns }, (_, column) => column);
  /** End time of each column's last slot. */
  const ends = all.map(() => -Infinity);
  const placed = group.map(({ item, shown }) => {
    const free = all.filter((column) => (ends[column] ?? 0) <= shown.start);
    const previous = before?.get(item.id);
    const column = previous !== undefined && free.includes(previous) ? previous : (free[0] ?? 0);
    ends[column] = shown.end;
    return { item, shown, column };
  });
  return placed.map((each) => {
    const right = placed
      .filter(({ column, shown }) => column > each.column && doOverlap(shown, each.shown))
      .map(({ column }) => column);
    return { ...each, across: Math.min(columns, ...right) - each.column, columns };
  });
};

/**
 * Lays out the slots of a day in columns without overlap, earlier ones to the left, with as few columns as possible.
 * The order of the items does not matter, and slots elsewhere in the day have no effect.
 */
export function layOutDay<Item extends DrawnSlot>(
  items: readonly Item[],
  { least: min = SNAP, before }: Layout = {},
): readonly ColumnPosition<Item>[] {
  const sorted = items
    .map((item) => ({ item, shown: getShownSpan(item, min) }))
    .toSorted((a, b) => a.shown.start - b.shown.start || b.shown.end - a.shown.end || byId(a.item.id, b.item.id));
  return groupOverlapping(sorted).flatMap((group) => layOutGroup(group, before));
}

/** Returns the columns of a layout, to pass to the next one. */
export function listColumns(drawing: readonly ColumnPosition<DrawnSlot>[]): ReadonlyMap<DrawnSlot['id'], number> {
  return new Map(drawing.map(({ item, column }) => [item.id, column]));
}
