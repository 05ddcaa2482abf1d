import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { statuses, type Status } from '../../contract/limits.ts';
import { segmentsOf } from './lane.ts';

const HOUR = 3_600_000;
const createDay = (hours: number) => ({ from: 1_700_000_000_000, until: 1_700_000_000_000 + hours * HOUR });
const at = (status: Status, fromHour: number, untilHour: number) => ({
  status,
  from: createDay(24).from + fromHour * HOUR,
  until: createDay(24).from + untilHour * HOUR,
});

test('a day is in percent of its real length, with none while the application is not open', () => {
  expect(segmentsOf([], createDay(24))).toEqual([{ status: 'none', timestamp: 0 }]);
  for (const hours of [23, 24, 25])
    expect(segmentsOf([at('on', 6, 7.5), at('off', 7.5, 9)], createDay(hours))).toEqual([
      { status: 'none', timestamp: 0 },
      { status: 'on', timestamp: expect.closeTo((6 / hours) * 100, 4) },
      { status: 'off', timestamp: expect.closeTo((7.5 / hours) * 100, 4) },
      { status: 'none', timestamp: expect.closeTo((9 / hours) * 100, 4) },
    ]);
});

test('an interval that starts before the day and ends after it fills it', () => {
  expect(segmentsOf([at('off', -3, 40)], createDay(24))).toEqual([{ status: 'off', timestamp: 0 }]);
  expect(segmentsOf([at('on', -3, 0), at('on', 24, 30)], createDay(24))).toEqual([{ status: 'none', timestamp: 0 }]);
});

test('of simultaneous statuses the highest priority is shown, and equal neighbours are one', () => {
  const visible = segmentsOf([at('off', 0, 24), at('s', 6, 18), at('on', 12, 15), at('on', 14, 16)], createDay(24));
  expect(visible).toEqual([
    { status: 'off', timestamp: 0 },
    { status: 's', timestamp: 25 },
    { status: 'on', timestamp: 50 },
    { status: 's', timestamp: expect.closeTo((16 / 24) * 100, 4) },
    { status: 'off', timestamp: 75 },
  ]);
});

const MINUTES = 24 * 60;
const minute = createDay(24).from;
const intervals = fc.array(
  fc.record({
    status: fc.constantFrom(...statuses),
    from: fc.integer({ min: -60, max: MINUTES + 60 }).map((value) => minute + value * 60_000),
    until: fc.integer({ min: -60, max: MINUTES + 60 }).map((value) => minute + value * 60_000),
  }),
  { maxLength: 12 },
);

test('each minute has the status of that time', () => {
  fc.assert(
    fc.property(intervals, (some) => {
      const segments = segmentsOf(some, createDay(24));
      const order: readonly Status[] = ['on', 'r', 's', 'off'];
      for (let at60 = 0; at60 < MINUTES; at60 += 7) {
        const middle = minute + (at60 + 0.5) * 60_000;
        const active = some.filter(({ from, until }) => from <= middle && middle < until).map(({ status }) => status);
        const expected = order.find((status) => active.includes(status)) ?? 'none';
        const percent = ((at60 + 0.5) / MINUTES) * 100;
        if (segments.findLast(({ timestamp }) => timestamp <= percent)?.status !== expected) return false;
      }
      return segments.every(({ status, timestamp }, index) => {
        const before = segments[index - 1];
        return before ? before.status !== status && before.timestamp < timestamp : timestamp === 0;
      });
    }),
  );
});
