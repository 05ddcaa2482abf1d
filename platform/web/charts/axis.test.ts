import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { listGridlines, createScale, getLabelStride } from './axis.ts';

test('an axis starts at 0 and ends just above the maximum', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (most) => {
      const scale = createScale(most);
      const lines = listGridlines(scale);
      expect(lines[0]).toBe(0);
      expect(scale.top).toBeGreaterThanOrEqual(most * (1 - 1e-6));
      expect(scale.top - scale.step).toBeLessThanOrEqual(most);
      expect(lines.length).toBeGreaterThanOrEqual(3);
      expect(lines.length).toBeLessThanOrEqual(7);
    }),
  );
});

test('ten hours have steps of two (docs/specification/screentime.md section 6)', () => {
  expect(createScale(10)).toEqual({ top: 10, step: 2 });
  expect(listGridlines(createScale(10))).toEqual([0, 2, 4, 6, 8, 10]);
  expect(listGridlines(createScale(0.5))).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
});

test('only labels that fit are shown', () => {
  expect(getLabelStride(30, 11)).toBe(3);
  expect(getLabelStride(5, 11)).toBe(1);
  expect(getLabelStride(0, 0)).toBe(1);
});
