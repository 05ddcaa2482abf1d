import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listColumns, layOutDay, doOverlap, getShownSpan, type DrawnSlot } from './dayLayout.ts';
import { END_OF_DAY } from './slot.ts';

const at = (id: DrawnSlot['id'], start: number, end: number): DrawnSlot => ({ id, start: start * 60, end: end * 60 });
const anySpan = fc
  .tuple(fc.integer({ min: 0, max: END_OF_DAY - 1 }), fc.integer({ min: 1, max: 300 }))
  .map(([start, length]) => ({ start, end: Math.min(END_OF_DAY, start + length) }));
const anyDay = fc
  .array(fc.tuple(anySpan, fc.boolean()), { maxLength: 30 })
  .map((spans) => spans.map(([span, fresh], index): DrawnSlot => ({ ...span, id: fresh ? `new${index}` : index })));
const anyLeast = fc.integer({ min: 1, max: 60 });
const minutes = Array.from({ length: END_OF_DAY }, (_, minute) => minute);

const columns = (items: readonly DrawnSlot[]) =>
  Object.fromEntries(
    layOutDay(items).map(({ item, column, across, columns: of }) => [item.id, `${column}+${across}/${of}`]),
  );
/** Compresses a slot into the half of the day that starts there. */
const half = ({ id, start, end }: DrawnSlot, from: number): DrawnSlot => ({
  id: `${from} ${id}`,
  start: from + Math.floor(start / 2),
  end: from + Math.ceil(end / 2),
});

describe('slots of a day', () => {
  test('a single slot has the full width', () => {
    expect(columns([at('tea', 9, 10)])).toEqual({ tea: '0+1/1' });
  });

  test('a slot that ends when the next starts is in the same column', () => {
    expect(columns([at('tea', 9, 10), at('walk', 10, 11)])).toEqual({ tea: '0+1/1', walk: '0+1/1' });
  });

  test('overlapping slots are side by side, and use free space to their right', () => {
    expect(columns([at('all day', 8, 20), at('tea', 9, 10), at('call', 9, 10), at('walk', 12, 13)])).toEqual({
      'all day': '0+1/3',
      tea: '2+1/3',
      call: '1+1/3',
      walk: '1+2/3',
    });
  });

  test('every slot is laid out once, with its minimum height, within the day', () => {
    fc.assert(
      fc.property(anyDay, anyLeast, (items, min) => {
        const drawing = layOutDay(items, { least: min });
        expect(new Set(drawing.map(({ item }) => item))).toEqual(new Set(items));
        for (const { item, shown } of drawing) {
          expect(shown.start).toBeLessThanOrEqual(item.start);
          expect(shown.end).toBeGreaterThanOrEqual(item.end);
          expect(shown.end - shown.start).toBeGreaterThanOrEqual(min);
          expect(shown.start).toBeGreaterThanOrEqual(0);
          expect(shown.end).toBeLessThanOrEqual(END_OF_DAY);
        }
      }),
    );
  });

  test('no two slots cover each other', () => {
    fc.assert(
      fc.property(anyDay, anyLeast, (items, min) => {
        const drawing = layOutDay(items, { least: min });
        for (const a of drawing) {
          expect(a.column + a.across).toBeLessThanOrEqual(a.columns);
          expect(a.across).toBeGreaterThan(0);
          for (const b of drawing)
            if (a !== b && doOverlap(a.shown, b.shown)) {
              expect(a.columns).toBe(b.columns);
              expect(a.column + a.across <= b.column || b.column + b.across <= a.column).toBe(true);
            }
        }
      }),
    );
  });

  test('there are only as many columns as slots overlap', () => {
    fc.assert(
      fc.property(anyDay, (items) => {
        const max = Math.max(
          0,
          ...minutes.map((minute) => {
            const running = items.map((item) => getShownSpan(item, 5));
            return running.filter(({ start, end }) => start <= minute && minute < end).length;
          }),
        );
        expect(Math.max(0, ...layOutDay(items).map((each) => each.columns))).toBe(max);
      }),
      { numRuns: 30 },
    );
  });

  test('the order of the input does not matter', () => {
    const shuffled = anyDay.chain((items) =>
      fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length })),
    );
    fc.assert(
      fc.property(shuffled, ([items, other]) => {
        expect(layOutDay(other)).toEqual(layOutDay(items));
      }),
    );
  });

  test('changes in the afternoon move nothing in the morning', () => {
    fc.assert(
      fc.property(anyDay, anyDay, (early, late) => {
        const morning = early.map((item) => half(item, 0));
        const afternoon = late.map((item) => half(item, 725));
        const drawing = layOutDay([...afternoon.filter(({ end }) => end <= END_OF_DAY), ...morning]);
        expect(drawing.filter(({ item }) => item.start < 720)).toEqual(layOutDay(morning));
      }),
    );
  });

  test('laid out again with its columns, nothing moves and no column is added', () => {
    fc.assert(
      fc.property(anyDay, anyDay, (items, others) => {
        const drawing = layOutDay(items);
        expect(layOutDay(items, { before: listColumns(drawing) })).toEqual(drawing);
        const foreign = layOutDay(items, { before: listColumns(layOutDay(others)) });
        expect(foreign.map((each) => each.columns)).toEqual(drawing.map((each) => each.columns));
      }),
    );
  });

  test('a slot that is dragged past the start of its neighbour stays on its side', () => {
    const before = listColumns(layOutDay([at('a', 9, 11), at('b', 9.5, 11)]));
    const moved = layOutDay([at('a', 10, 12), at('b', 9.5, 11)], { before });
    expect(listColumns(moved)).toEqual(before);
  });
});
