import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getVisibleRows } from './Legend.tsx';

test('only visible boxes are rendered, and the height of the others is reserved', () => {
  const view = { top: 0, height: 150, width: 800, row: 30 };
  expect(getVisibleRows(3000, view)).toEqual({ columns: 4, first: 0, last: 36, before: 0, after: (750 - 9) * 30 });
  expect(getVisibleRows(3000, { ...view, top: 3000 })).toMatchObject({ first: 96 * 4, last: 109 * 4, before: 96 * 30 });
  expect(getVisibleRows(3000, { ...view, width: 100 })).toMatchObject({ columns: 1, last: 9 });
});

test('at any scroll position, all visible boxes are rendered and the height is constant', () => {
  const size = fc.integer({ min: 0, max: 5000 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), size, size, size, (count, top, height, width) => {
      const row = 30;
      const { columns, first, last, before, after } = getVisibleRows(count, { top, height, width, row });
      const rows = Math.ceil(count / columns);
      expect(before + after + Math.ceil((last - first) / columns) * row).toBe(rows * row);
      const visible = Math.min(rows, Math.floor(top / row));
      if (visible < rows) expect(first).toBeLessThanOrEqual(visible * columns);
      expect(last).toBeGreaterThanOrEqual(Math.min(count, Math.ceil((top + height) / row) * columns));
    }),
  );
});
