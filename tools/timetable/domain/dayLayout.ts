import { END_OF_DAY, GRID_MINUTES, type Minute, type TimeSpan } from './slot.ts';

/** A slot to draw. The id identifies it across renders. */
export interface LayoutItem extends TimeSpan {
  readonly id: number | string;
}

export interface ColumnPosition<Item> {
  readonly item: Item;
  /** Index from the left, starting at 0. */
  readonly column: number;
  /** Number of columns it covers: more than one if the columns to its right are free during its time. */
  readonly span: number;
  /** Number of columns of its group of overlapping slots. */
  readonly columnCount: number;
  /** The part of the day it covers: its own time, or more if it would be too short to see. */
  readonly shownSpan: TimeSpan;
}

/** Returns the part of the day that a slot covers, at least `min` minutes. */
export function getShownSpan({ start, end }: TimeSpan, min: Minute): TimeSpan {
  if (end - start >= min) return { start, end };
  const from = Math.max(0, Math.min(start, END_OF_DAY - min));
  return { start: from, end: Math.max(end, from + min) };
}

export function isOverlapping(a: TimeSpan, b: TimeSpan): boolean {
  return a.start < b.end && b.start < a.end;
}

interface ShownItem<Item> {
  readonly item: Item;
  readonly shownSpan: TimeSpan;
}

// Numbers before texts: both kinds of ids exist while a new slot is being saved.
function compareIds(a: LayoutItem['id'], b: LayoutItem['id']): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return Number(a > b) - Number(a < b);
}

/** Groups slots that overlap directly or through others. */
function groupOverlapping<Item>(sorted: readonly ShownItem<Item>[]): readonly (readonly ShownItem<Item>[])[] {
  const groups: ShownItem<Item>[][] = [];
  let groupEnd = -Infinity;
  for (const shownItem of sorted) {
    const last = groups.at(-1);
    if (last && shownItem.shownSpan.start < groupEnd) last.push(shownItem);
    else groups.push([shownItem]);
    groupEnd = Math.max(groupEnd, shownItem.shownSpan.end);
  }
  return groups;
}

/** Returns the maximum number of slots that overlap at one moment. */
function getMaxOverlap(group: readonly ShownItem<unknown>[]): number {
  const depths = group.map(
    ({ shownSpan: { start } }) =>
      group.filter(({ shownSpan }) => shownSpan.start <= start && start < shownSpan.end).length,
  );
  return Math.max(...depths);
}

/** Assigns columns within one group. A column is always free, because there are as many as slots overlap. */
function layOutGroup<Item extends LayoutItem>(group: readonly ShownItem<Item>[]): readonly ColumnPosition<Item>[] {
  const columnCount = getMaxOverlap(group);
  /** End time of each column's last slot. */
  const ends = Array.from({ length: columnCount }, () => -Infinity);
  const placedItems = group.map(({ item, shownSpan }) => {
    const column = Math.max(
      0,
      ends.findIndex((end) => end <= shownSpan.start),
    );
    ends[column] = shownSpan.end;
    return { item, shownSpan, column };
  });
  return placedItems.map((placed) => {
    const columnsToTheRight = placedItems
      .filter(({ column, shownSpan }) => column > placed.column && isOverlapping(shownSpan, placed.shownSpan))
      .map(({ column }) => column);
    return { ...placed, span: Math.min(columnCount, ...columnsToTheRight) - placed.column, columnCount };
  });
}

/**
 * Lays out the slots of a day in columns without overlap, earlier ones to the left, with as few columns as possible.
 * The order of the items does not matter, and slots elsewhere in the day have no effect.
 * @param minLength shorter slots are drawn and laid out with this length.
 */
export function layOutDay<Item extends LayoutItem>(
  items: readonly Item[],
  minLength: Minute = GRID_MINUTES,
): readonly ColumnPosition<Item>[] {
  const sorted = items
    .map((item) => ({ item, shownSpan: getShownSpan(item, minLength) }))
    .toSorted(
      (a, b) =>
        a.shownSpan.start - b.shownSpan.start || b.shownSpan.end - a.shownSpan.end || compareIds(a.item.id, b.item.id),
    );
  return groupOverlapping(sorted).flatMap((group) => layOutGroup(group));
}
