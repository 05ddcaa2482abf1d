import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layOutDay, isOverlapping, getShownSpan, type LayoutItem } from './dayLayout.ts';
import { END_OF_DAY } from './slot.ts';

const createItem = (id: LayoutItem['id'], start: number, end: number): LayoutItem => ({
  id,
  start: start * 60,
  end: end * 60,
});
const anySpan = fc
  .tuple(fc.integer({ min: 0, max: END_OF_DAY - 1 }), fc.integer({ min: 1, max: 300 }))
  .map(([start, length]) => ({ start, end: Math.min(END_OF_DAY, start + length) }));
const anyDay = fc
  .array(fc.tuple(anySpan, fc.boolean()), { maxLength: 30 })
  .map((spans) => spans.map(([span, isNew], index): LayoutItem => ({ ...span, id: isNew ? `new${index}` : index })));
const anyMinLength = fc.integer({ min: 1, max: 60 });
const minutes = Array.from({ length: END_OF_DAY }, (_, minute) => minute);

const formatColumns = (items: readonly LayoutItem[]) =>
  Object.fromEntries(
    layOutDay(items).map(({ item, column, span, columnCount }) => [item.id, `${column}+${span}/${columnCount}`]),
  );
/** Compresses a slot into the half of the day that starts there. */
const compress = ({ id, start, end }: LayoutItem, from: number): LayoutItem => ({
  id: `${from} ${id}`,
  start: from + Math.floor(start / 2),
  end: from + Math.ceil(end / 2),
});

describe('slots of a day', () => {
  test('a single slot has the full width', () => {
    expect(formatColumns([createItem('tea', 9, 10)])).toEqual({ tea: '0+1/1' });
  });

  test('a slot that ends when the next starts is in the same column', () => {
    expect(formatColumns([createItem('tea', 9, 10), createItem('walk', 10, 11)])).toEqual({
      tea: '0+1/1',
      walk: '0+1/1',
    });
  });

  test('overlapping slots are side by side, and use free space to their right', () => {
    expect(
      formatColumns([
        createItem('all day', 8, 20),
        createItem('tea', 9, 10),
        createItem('call', 9, 10),
        createItem('walk', 12, 13),
      ]),
    ).toEqual({
      'all day': '0+1/3',
      tea: '2+1/3',
      call: '1+1/3',
      walk: '1+2/3',
    });
  });

  test('every slot is laid out once, with its minimum height, within the day', () => {
    fc.assert(
      fc.property(anyDay, anyMinLength, (items, min) => {
        const drawing = layOutDay(items, min);
        expect(new Set(drawing.map(({ item }) => item))).toEqual(new Set(items));
        for (const { item, shownSpan } of drawing) {
          expect(shownSpan.start).toBeLessThanOrEqual(item.start);
          expect(shownSpan.end).toBeGreaterThanOrEqual(item.end);
          expect(shownSpan.end - shownSpan.start).toBeGreaterThanOrEqual(min);
          expect(shownSpan.start).toBeGreaterThanOrEqual(0);
          expect(shownSpan.end).toBeLessThanOrEqual(END_OF_DAY);
        }
      }),
    );
  });

  test('no two slots cover each other', () => {
    fc.assert(
      fc.property(anyDay, anyMinLength, (items, min) => {
        const drawing = layOutDay(items, min);
        for (const a of drawing) {
          expect(a.column + a.span).toBeLessThanOrEqual(a.columnCount);
          expect(a.span).toBeGreaterThan(0);
          for (const b of drawing)
            if (a !== b && isOverlapping(a.shownSpan, b.shownSpan)) {
              expect(a.columnCount).toBe(b.columnCount);
              expect(a.column + a.span <= b.column || b.column + b.span <= a.column).toBe(true);
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
            const spans = items.map((item) => getShownSpan(item, 5));
            return spans.filter(({ start, end }) => start <= minute && minute < end).length;
          }),
        );
        expect(Math.max(0, ...layOutDay(items).map((position) => position.columnCount))).toBe(max);
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
        const morning = early.map((item) => compress(item, 0));
        const afternoon = late.map((item) => compress(item, 725));
        const drawing = layOutDay([...afternoon.filter(({ end }) => end <= END_OF_DAY), ...morning]);
        expect(drawing.filter(({ item }) => item.start < 720)).toEqual(layOutDay(morning));
      }),
    );
  });
});
