import { array, assert, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countColumns, getBlockHeight, distributeBlocks, countVisibleRows } from './viewBlocks.ts';

const block = (rows: number) => ({ items: Array.from({ length: rows }, () => 0) });
const rowsIn = (blocks: readonly number[], count: number) =>
  distributeBlocks(blocks.map(block), count).map((column) => column.map(({ items }) => items.length));
const highest = (cut: readonly (readonly { readonly items: readonly unknown[] }[])[]): number =>
  Math.max(...cut.map((column) => column.reduce((sum, each) => sum + getBlockHeight(each), 0)));

describe('columns of blocks', () => {
  test('are at least 360 pixels wide, except a single one', () => {
    expect([200, 360, 735, 736, 1111, 1112].map(countColumns)).toEqual([1, 1, 1, 2, 2, 3]);
  });

  test('are filled in order, with heights as equal as possible', () => {
    expect(rowsIn([4, 3, 3], 2)).toEqual([[4], [3, 3]]);
    expect(rowsIn([1, 1, 1, 9], 2)).toEqual([[1, 1, 1], [9]]);
    expect(rowsIn([2, 2], 1)).toEqual([[2, 2]]);
    expect(rowsIn([], 3)).toEqual([]);
  });

  test('render first the rows that fit into the window, column by column', () => {
    expect(countVisibleRows([4, 3, 30].map(block), 800)).toEqual([4, 3, 3]);
    expect(countVisibleRows([1000, 5].map(block), 800)).toEqual([13, 0]);
    expect(countVisibleRows([0, 2].map(block), 10_000)).toEqual([0, 2]);
  });

  test('contain every block once in order, respect the limit, and minimize the highest column', () => {
    assert(
      property(
        array(integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 8 }),
        integer({ min: 1, max: 4 }),
        (rows, count) => {
          const columns = distributeBlocks(rows.map(block), count);
          expect(columns.flat().map(({ items }) => items.length)).toEqual(rows);
          expect(columns.length).toBeLessThanOrEqual(count);
          const listCuts = (blocks: readonly number[], left: number): readonly (readonly (readonly number[])[])[] =>
            left === 1 || blocks.length <= 1
              ? [[blocks]]
              : blocks.flatMap((_, at) =>
                  listCuts(blocks.slice(at + 1), left - 1).map((rest) => [blocks.slice(0, at + 1), ...rest]),
                );
          const best = Math.min(...listCuts(rows, count).map((cut) => highest(cut.map((column) => column.map(block)))));
          expect(highest(columns)).toBe(best);
        },
      ),
    );
  });
});
