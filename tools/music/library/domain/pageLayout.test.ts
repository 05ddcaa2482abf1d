import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getBlockHeight, findRowAt, getVisibleRange, getRowTop, listBlockTops, type BlockShape } from './pageLayout.ts';

const height = fc.integer({ min: 1, max: 200 });
const shape: fc.Arbitrary<BlockShape> = fc
  .record({ head: height, row: height, rows: fc.nat(60), foot: fc.nat(20), seed: fc.array(fc.nat(59)) })
  .chain(({ seed, ...block }) => {
    const places = [...new Set(seed)].filter((place) => place < block.rows).toSorted((one, other) => one - other);
    return fc
      .tuple(...places.map(() => height))
      .map((heights) => ({ ...block, more: places.map((place, at) => [place, heights[at] ?? 0] as const) }));
  });

test('the row at a distance is the row whose position contains it', () => {
  fc.assert(
    fc.property(
      shape.filter(({ rows }) => rows > 0),
      fc.double({ min: 0, max: 0.9999, noNaN: true }),
      (block, share) => {
        const distance = share * getRowTop(block, block.rows);
        const at = findRowAt(block, distance);
        expect(getRowTop(block, at)).toBeLessThanOrEqual(distance);
        expect(getRowTop(block, at + 1)).toBeGreaterThan(distance);
      },
    ),
  );
});

test('the rows in view are exactly those that intersect it', () => {
  fc.assert(
    fc.property(fc.array(shape, { maxLength: 12 }), fc.nat(20), fc.nat(6000), height, (blocks, gap, from, length) => {
      const until = from + length;
      const tops = listBlockTops(blocks, gap);
      const visible = getVisibleRange(blocks, { tops, gap }, [from, until]);
      expect(visible.height).toBe(Math.max(0, (tops[blocks.length] ?? 0) - gap));
      blocks.forEach((block, at) => {
        const part = visible.parts.find((each) => each.block === at);
        const top = tops[at] ?? 0;
        expect(part !== undefined).toBe(top < until && top + getBlockHeight(block) > from);
        for (let row = 0; row < block.rows; row += 1) {
          const rowTop = top + block.head + getRowTop(block, row);
          const rowBottom = top + block.head + getRowTop(block, row + 1);
          if (rowTop < until && rowBottom > from) expect(part && row >= part.first && row < part.end).toBe(true);
        }
        // At most one more at each end: a row that only touches the view.
        const maxRows = Math.ceil(length / block.row) + 2;
        if (part) expect(part.end - part.first).toBeLessThanOrEqual(maxRows);
      });
    }),
  );
});

test('nothing is in view between a position and itself', () => {
  const block = { head: 70, rows: 10, row: 52, more: [], foot: 1 };
  const visible = getVisibleRange([block], { tops: listBlockTops([block], 12), gap: 12 }, [100, 100]);
  expect(visible).toEqual({ height: getBlockHeight(block), top: 0, parts: [] });
});
