import type { Day } from '#platform/contract/day.ts';

/** Something that covers one day or several consecutive ones. `until` is included. */
export interface DayRangeItem {
  readonly from: Day;
  readonly until: Day;
}

export interface WeightedItem extends DayRangeItem {
  /** Priority if not everything fits: higher comes first. */
  readonly weight: number;
}

export interface LanePosition<Item> {
  readonly item: Item;
  /** Number of the lane; 0 is at the top. */
  readonly lane: number;
  /** First day of the item in this week. */
  readonly from: Day;
  /** Last day of the item in this week. */
  readonly until: Day;
}

export interface WeekLayout<Item> {
  readonly placed: readonly LanePosition<Item>[];
  /** Items that were not placed, by day of the week, Monday first. */
  readonly hidden: readonly (readonly Item[])[];
}

const WEEK_DAYS = 7;

interface ClippedItem<Item> {
  readonly item: Item;
  /** 0 to 6. */
  readonly from: number;
  readonly until: number;
  readonly isLong: boolean;
}

const clipItems = <Item extends DayRangeItem>(items: readonly Item[], monday: Day): readonly ClippedItem<Item>[] =>
  items
    .filter(({ from, until }) => until >= monday && from < monday + WEEK_DAYS)
    .map((item) => ({
      item,
      from: Math.max(item.from - monday, 0),
      until: Math.min(item.until - monday, WEEK_DAYS - 1),
      isLong: item.until > item.from,
    }));

const mapDays = <Value>(
  { from, until }: ClippedItem<unknown>,
  compute: (dayIndex: number) => Value,
): readonly Value[] => Array.from({ length: until - from + 1 }, (_, step) => compute(from + step));

function findLowestFreeLane(taken: readonly ReadonlySet<number>[], clipped: ClippedItem<unknown>): number {
  for (let lane = 0; ; lane++)
    if (mapDays(clipped, (dayIndex) => !taken[dayIndex]?.has(lane)).every(Boolean)) return lane;
}

/** Selects the items that fit into `rows` lanes a day: by weight, then by length, then in the given order. */
function selectItems<Item extends WeightedItem>(
  all: readonly ClippedItem<Item>[],
  rows: number,
): ReadonlySet<ClippedItem<Item>> {
  const itemCounts = Array.from({ length: WEEK_DAYS }, () => 0);
  const selected = new Set<ClippedItem<Item>>();
  for (const clipped of all.toSorted((a, b) => b.item.weight - a.item.weight || Number(b.isLong) - Number(a.isLong))) {
    if (mapDays(clipped, (dayIndex) => (itemCounts[dayIndex] ?? 0) >= rows).some(Boolean)) continue;
    mapDays(clipped, (dayIndex) => (itemCounts[dayIndex] = (itemCounts[dayIndex] ?? 0) + 1));
    selected.add(clipped);
  }
  return selected;
}

/**
 * Places the items of a week into at most `rows` lanes: long ones on top, others in the gaps. By start, intervals need
 * no more lanes than their fullest day, so all selected items fit.
 */
export function layOutWeek<Item extends WeightedItem>(
  items: readonly Item[],
  monday: Day,
  rows: number,
): WeekLayout<Item> {
  const all = clipItems(items, monday);
  const selected = selectItems(all, rows);
  const taken = Array.from({ length: WEEK_DAYS }, () => new Set<number>());
  const order = all
    .filter((clipped) => selected.has(clipped))
    .toSorted((a, b) =>
      a.isLong && b.isLong
        ? a.from - b.from || a.item.from - b.item.from || b.until - a.until
        : Number(b.isLong) - Number(a.isLong),
    );
  const placed = order.map((clipped): LanePosition<Item> => {
    const lane = findLowestFreeLane(taken, clipped);
    mapDays(clipped, (dayIndex) => taken[dayIndex]?.add(lane));
    return { item: clipped.item, lane, from: monday + clipped.from, until: monday + clipped.until };
  });
  const hidden = Array.from({ length: WEEK_DAYS }, (_, dayIndex) =>
    all
      .filter((clipped) => !selected.has(clipped) && clipped.from <= dayIndex && dayIndex <= clipped.until)
      .map(({ item }) => item),
  );
  return { placed, hidden };
}
