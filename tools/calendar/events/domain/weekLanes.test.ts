import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDay } from './day.ts';
import { layOutWeek, type WeightedItem } from './weekLanes.ts';

interface TestItem extends WeightedItem {
  readonly name: string;
}

const MONDAY = parseDay('2026-11-16') ?? 0;
const createItem = (name: string, from: number, until = from, weight = 0): TestItem => ({
  name,
  from: MONDAY + from,
  until: MONDAY + until,
  weight,
});
const anyThing = fc
  .tuple(fc.integer({ min: -10, max: 16 }), fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 2 }))
  .map(([from, length, weight]) => createItem(`${from}+${length}`, from, from + (length > 12 ? 0 : length), weight));
const anyWeek = fc.tuple(fc.array(anyThing, { maxLength: 40 }), fc.integer({ min: 1, max: 8 }));
const week = [0, 1, 2, 3, 4, 5, 6].map((at) => MONDAY + at);

const formatLayout = (items: readonly TestItem[], rows: number) =>
  layOutWeek(items, MONDAY, rows).placed.map(({ item, lane, from, until }) => [
    item.name,
    lane,
    from - MONDAY,
    until - MONDAY,
  ]);

describe('a week of entries', () => {
  test('every bar covers exactly its days of the week', () => {
    fc.assert(
      fc.property(anyWeek, ([items, rows]) => {
        for (const { item, from, until } of layOutWeek(items, MONDAY, rows).placed)
          for (const day of week) expect(from <= day && day <= until).toBe(item.from <= day && day <= item.until);
      }),
    );
  });

  test('entries never overlap, and never exceed the lanes', () => {
    fc.assert(
      fc.property(anyWeek, ([items, rows]) => {
        const taken = new Set<string>();
        for (const { lane, from, until } of layOutWeek(items, MONDAY, rows).placed) {
          expect(lane).toBeLessThan(rows);
          for (let day = from; day <= until; day++) {
            expect(taken.has(`${lane} ${day}`)).toBe(false);
            taken.add(`${lane} ${day}`);
          }
        }
      }),
    );
  });

  test('shown and hidden entries together are all entries of the day', () => {
    fc.assert(
      fc.property(anyWeek, ([items, rows]) => {
        const { placed, hidden } = layOutWeek(items, MONDAY, rows);
        week.forEach((day, at) => {
          const dayItems = items.filter(({ from, until }) => from <= day && day <= until);
          const placedItems = placed.filter(({ from, until }) => from <= day && day <= until).map(({ item }) => item);
          expect(new Set([...placedItems, ...(hidden[at] ?? [])])).toEqual(new Set(dayItems));
          expect(placedItems.length + (hidden[at]?.length ?? 0)).toBe(dayItems.length);
        });
      }),
    );
  });

  test('no entry is hidden if it fits in place of a less important one', () => {
    fc.assert(
      fc.property(anyWeek, ([items, rows]) => {
        const { placed, hidden } = layOutWeek(items, MONDAY, rows);
        week.forEach((day, at) => {
          const placedItems = placed.filter(({ from, until }) => from <= day && day <= until);
          for (const item of hidden[at] ?? []) {
            // Whether on one of its days all lanes have entries of at least its weight.
            const isBeaten = week
              .filter((each) => item.from <= each && each <= item.until)
              .some(
                (each) =>
                  placed.filter(
                    (other) => other.from <= each && each <= other.until && other.item.weight >= item.weight,
                  ).length >= rows,
              );
            expect(isBeaten).toBe(true);
          }
          if ((hidden[at]?.length ?? 0) === 0) return;
          expect(placedItems.length).toBeLessThanOrEqual(rows);
        });
      }),
    );
  });

  test('bars are on top, ordered by start, and single days fill the gaps in the given order', () => {
    const items = [
      createItem('loan', -19, 2),
      createItem('training', -3, 9),
      createItem('bins', 0),
      createItem('film', 4),
      createItem('run', 4),
    ];
    expect(formatLayout(items, 3)).toEqual([
      ['loan', 0, 0, 2],
      ['training', 1, 0, 6],
      ['bins', 2, 0, 0],
      ['film', 0, 4, 4],
      ['run', 2, 4, 4],
    ]);
  });

  test('pinned and selected entries are shown if not everything fits', () => {
    const items = [
      createItem('a', 0, 6),
      createItem('b', 0, 6),
      createItem('c', 3),
      createItem('pinned', 3, 3, 1),
      createItem('chosen', 3, 3, 2),
    ];
    expect(formatLayout(items, 2).map(([name]) => name)).toEqual(['pinned', 'chosen']);
    expect(formatLayout(items, 3).map(([name]) => name)).toEqual(['a', 'pinned', 'chosen']);
    expect(layOutWeek(items, MONDAY, 3).hidden[3]?.map(({ name }) => name)).toEqual(['b', 'c']);
  });
});
