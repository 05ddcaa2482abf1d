import { END_OF_DAY, SNAP, type Minute, type TimeSpan } from './slot.ts';

/** A slot to be drawn. The id is what it is known by from one drawing to the next. */
export interface Drawn extends TimeSpan {
  readonly id: number | string;
}

export interface InColumn<Item> {
  readonly item: Item;
  /** From 0, at the left. */
  readonly column: number;
  /** Columns that it fills, from its own to the right: more than one where those beside it are free all its time. */
  readonly across: number;
  /** Columns into which its stretch of the day is divided. */
  readonly columns: number;
  /** What it fills of the day: its own time, or more where it is shorter than can be seen. */
  readonly shown: TimeSpan;
}

export interface Layout {
  /** A shorter slot is drawn, and makes room for itself, as if it were this long. */
  readonly least?: Minute;
  /** The column that a slot had until now, by its id: it keeps it where it can. */
  readonly before?: ReadonlyMap<Drawn['id'], number>;
}

/** What a slot fills of its day, drawn at least `least` minutes high. */
export function shownSpan({ start, end }: TimeSpan, least: Minute): TimeSpan {
  if (end - start >= least) return { start, end };
  const from = Math.max(0, Math.min(start, END_OF_DAY - least));
  return { start: from, end: Math.max(end, from + least) };
}

export function overlap(a: TimeSpan, b: TimeSpan): boolean {
  return a.start < b.end && b.start < a.end;
}

interface ShownItem<Item> {
  readonly item: Item;
  readonly shown: TimeSpan;
}

// Numbers before texts: ids of both kinds stand side by side while a new slot is being saved.
const byId = (a: Drawn['id'], b: Drawn['id']): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return Number(a > b) - Number(a < b);
};

/** Stretches of the day in which one slot hangs together with the next. */
const stretchesOf = <Item>(sorted: readonly ShownItem<Item>[]): readonly (readonly ShownItem<Item>[])[] => {
  const stretches: ShownItem<Item>[][] = [];
  let until = -Infinity;
  for (const each of sorted) {
    const last = stretches.at(-1);
    if (last && each.shown.start < until) last.push(each);
    else stretches.push([each]);
    until = Math.max(until, each.shown.end);
  }
  return stretches;
};

/** How many of them overlap at once, at most. */
const depthOf = (stretch: readonly ShownItem<unknown>[]): number => {
  const depths = stretch.map(
    ({ shown: { start } }) => stretch.filter(({ shown }) => shown.start <= start && start < shown.end).length,
  );
  return Math.max(...depths);
};

/**
 * One stretch in its columns. Taken by their beginnings, fewer than `columns` others run when a slot begins, so that there is always a
 * free one, whichever the slots before it took: keeping old columns costs none.
 */
const layOutStretch = <Item extends Drawn>(
  stretch: readonly ShownItem<Item>[],
  before: Layout['before'],
): readonly InColumn<Item>[] => {
  const columns = depthOf(stretch);
  const all = Array.from({ length: columns }, (_, column) => column);
  /** By column: when it is free again. */
  const ends = all.map(() => -Infinity);
  const placed = stretch.map(({ item, shown }) => {
    const free = all.filter((column) => (ends[column] ?? 0) <= shown.start);
    const kept = before?.get(item.id);
    const column = kept !== undefined && free.includes(kept) ? kept : (free[0] ?? 0);
    ends[column] = shown.end;
    return { item, shown, column };
  });
  return placed.map((each) => {
    const right = placed
      .filter(({ column, shown }) => column > each.column && overlap(shown, each.shown))
      .map(({ column }) => column);
    return { ...each, across: Math.min(columns, ...right) - each.column, columns };
  });
};

/**
 * Puts the slots of a day side by side where they overlap, earlier ones to the left: as many columns as overlap at once, no two in one
 * place at one time. The order they are given in does not matter, and slots elsewhere in the day change nothing.
 */
export function layOutDay<Item extends Drawn>(
  items: readonly Item[],
  { least = SNAP, before }: Layout = {},
): readonly InColumn<Item>[] {
  const sorted = items
    .map((item) => ({ item, shown: shownSpan(item, least) }))
    .toSorted((a, b) => a.shown.start - b.shown.start || b.shown.end - a.shown.end || byId(a.item.id, b.item.id));
  return stretchesOf(sorted).flatMap((stretch) => layOutStretch(stretch, before));
}

/** The columns of a drawing, to be handed to the next one. */
export function columnsOf(drawing: readonly InColumn<Drawn>[]): ReadonlyMap<Drawn['id'], number> {
  return new Map(drawing.map(({ item, column }) => [item.id, column]));
}
