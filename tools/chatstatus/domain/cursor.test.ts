import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { moveCursor, findIntervalAt } from './days.ts';
import { STATUSES, mergeIntervals, formatDuration, formatSummary } from './status.ts';

const days = fc
  .array(fc.record({ length: fc.integer({ min: 1, max: 9000 }), status: fc.constantFrom(...STATUSES) }), {
    minLength: 1,
  })
  .map((parts) => {
    let at = 1000;
    const intervals = mergeIntervals(
      parts.map(({ length, status }) => {
        at += length;
        return { from: at - length, until: at, status };
      }),
    );
    return { from: 1000, until: at, intervals };
  });
const keys = fc.constantFrom('ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End');

test('after any keys, the cursor is inside the day and on an interval', () => {
  fc.assert(
    fc.property(days, fc.array(fc.tuple(keys, fc.boolean())), (day, pressed) => {
      let at = day.from;
      for (const [key, isJump] of pressed) at = moveCursor(at, key, day, isJump) ?? Number.NaN;
      const under = findIntervalAt(day.intervals, at);
      expect(under && under.from <= at && at < under.until).toBe(true);
    }),
  );
});

test('page keys move to the next change, arrows by ten minutes, other keys nowhere', () => {
  const day = {
    from: 0,
    until: 9000,
    intervals: [
      { from: 0, until: 3000, status: 'offline' },
      { from: 3000, until: 9000, status: 'online' },
    ],
  } as const;
  expect(moveCursor(100, 'ArrowRight', day, false)).toBe(700);
  expect(moveCursor(100, 'ArrowLeft', day, false)).toBe(0);
  expect(moveCursor(100, 'PageDown', day, false)).toBe(3000);
  expect(moveCursor(3000, 'ArrowRight', day, true)).toBe(8999);
  expect(moveCursor(5000, 'PageUp', day, false)).toBe(3000);
  expect(moveCursor(100, 'a', day, false)).toBeUndefined();
  expect(findIntervalAt(day.intervals, 9000)).toBeUndefined();
  expect(findIntervalAt([], 1)).toBeUndefined();
});

test('durations show hours and minutes, and a day is summarized by status', () => {
  expect([26_400, 2700, 28_800, 59].map(formatDuration)).toEqual(['7 h 20 min', '45 min', '8 h', '1 min']);
  expect(
    formatSummary([
      { from: 0, until: 3600, status: 'offline' },
      { from: 3600, until: 5400, status: 'online' },
      { from: 5400, until: 5410, status: 'dnd' },
      { from: 5410, until: 9010, status: 'offline' },
    ]),
  ).toBe('online 30 min, offline 2 h');
});
