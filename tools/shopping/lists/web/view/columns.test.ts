import { array, assert, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countColumns, getBlockHeight, distributeBlocks, countVisibleRows } from './viewBlocks.ts';

const createBlock = (rows: number) => ({ items: Array.from({ length: rows }, () => 0) });
const rowsIn = (blocks: readonly number[], count: number) =>
  distributeBlocks(blocks.map(createBlock), count).map((column) => column.map(({ items }) => items.length));
const highest = (cut: readonly (readonly { readonly items: readonly unknown[] }[])[]): number =>
  Math.max(...cut.map((column) => column.reduce((sum, block) => sum + getBlockHeight(block), 0)));

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
    expect(countVisibleRows([4, 3, 30].map(createBlock), 800)).toEqual([4, 3, 3]);
    expect(countVisibleRows([1000, 5].map(createBlock), 800)).toEqual([13, 0]);
    expect(countVisibleRows([0, 2].map(createBlock), 10_000)).toEqual([0, 2]);
  });

  test('contain every block once in order, respect the limit, and minimize the highest column', () => {
    assert(
      property(
        array(integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 8 }),
        integer({ min: 1, max: 4 }),
        (rows, count) => {
          const columns = distributeBlocks(rows.map(createBlock), count);
          expect(columns.flat().map(({ items }) => items.length)).toEqual(rows);
          expect(columns.length).toBeLessThanOrEqual(count);
          const listCuts = (blocks: readonly number[], left: number): readonly (readonly (readonly number[])[])[] =>
            left === 1 || blocks.length <= 1
              ? [[blocks]]
              : blocks.flatMap((_, index) =>
                  listCuts(blocks.slice(index + 1), left - 1).map((rest) => [blocks.slice(0, index + 1), ...rest]),
                );
          const best = Math.min(
            ...listCuts(rows, count).map((cut) => highest(cut.map((column) => column.map(createBlock)))),
          );
          expect(highest(columns)).toBe(best);
        },
      ),
    );
  });
});
