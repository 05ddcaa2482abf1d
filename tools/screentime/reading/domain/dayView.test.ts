import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { axisLabel, axisMinutes, panned, zoomed, WHOLE_DAY, type View } from './lane.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const turns = fc.array(
  fc.oneof(
    fc.tuple(share, fc.double({ min: 0.2, max: 5, noNaN: true })).map(
      ([at, factor]) =>
        (view: View) =>
          zoomed(view, at, factor),
    ),
    fc.double({ min: -3, max: 3, noNaN: true }).map((by) => (view: View) => panned(view, by)),
  ),
  { maxLength: 30 },
);

test('after any zoom and pan, the view is within the day and at least half an hour long', () => {
  fc.assert(
    fc.property(turns, (all) => {
      const { from, until } = all.reduce((view, turn) => turn(view), WHOLE_DAY);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(until).toBeLessThanOrEqual(100 + 1e-9);
      expect(until - from).toBeGreaterThanOrEqual(100 / 48 - 1e-9);
    }),
  );
});

test('zooming in keeps the position under the pointer', () => {
  fc.assert(
    fc.property(share, fc.double({ min: 0.1, max: 1, noNaN: true }), (at, factor) => {
      const { from, until } = zoomed(WHOLE_DAY, at, factor);
      expect(from + at * (until - from)).toBeCloseTo(at * 100, 6);
    }),
  );
});

test('the axis has every third hour if there is space, and minutes when it is zoomed', () => {
  expect(axisMinutes(WHOLE_DAY, 490).map(axisLabel)).toEqual(['00', '03', '06', '09', '12', '15', '18', '21', '24']);
  expect(axisMinutes(WHOLE_DAY, 250).map(axisLabel)).toEqual(['00', '06', '12', '18', '24']);
  expect(axisMinutes({ from: 37.5, until: 41.7 }, 490).map(axisLabel)).toEqual(
    ['09:00', '09:10', '09:20', '09:30', '09:40', '09:50', '10:00'].map((label) => label.replace(/:00$/, '')),
  );
});
