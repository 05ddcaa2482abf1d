import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getVisibleRows } from './Legend.tsx';

test('only visible checkboxes are rendered, and the height of the others is reserved', () => {
  const view = { top: 0, height: 150, width: 800, rowHeight: 30 };
  expect(getVisibleRows(3000, view)).toEqual({
    columns: 4,
    first: 0,
    end: 36,
    heightAbove: 0,
    heightBelow: (750 - 9) * 30,
  });
  expect(getVisibleRows(3000, { ...view, top: 3000 })).toMatchObject({
    first: 96 * 4,
    end: 109 * 4,
    heightAbove: 96 * 30,
  });
  expect(getVisibleRows(3000, { ...view, width: 100 })).toMatchObject({ columns: 1, end: 9 });
});

test('at any scroll position, all visible checkboxes are rendered and the height is constant', () => {
  const size = fc.integer({ min: 0, max: 5000 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), size, size, size, (count, top, height, width) => {
      const rowHeight = 30;
      const { columns, first, end, heightAbove, heightBelow } = getVisibleRows(count, {
        top,
        height,
        width,
        rowHeight,
      });
      const rowCount = Math.ceil(count / columns);
      expect(heightAbove + heightBelow + Math.ceil((end - first) / columns) * rowHeight).toBe(rowCount * rowHeight);
      const visibleRow = Math.min(rowCount, Math.floor(top / rowHeight));
      if (visibleRow < rowCount) expect(first).toBeLessThanOrEqual(visibleRow * columns);
      expect(end).toBeGreaterThanOrEqual(Math.min(count, Math.ceil((top + height) / rowHeight) * columns));
    }),
  );
});
