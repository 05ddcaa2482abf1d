import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONE, STATUSES, type Status } from '../../contract/limits.ts';
import {
  forEachBar,
  getFocusedRange,
  createLane,
  findIntervalAt,
  WHOLE_DAY,
  type DaySegment,
  type Lane,
  toSegments,
  formatAxisLabel,
  listAxisMinutes,
  panView,
  zoomView,
  type View,
} from './lane.ts';

const randomSegments = fc
  .uniqueArray(fc.tuple(fc.nat({ max: 9999 }), fc.constantFrom(...STATUSES, NONE)), {
    selector: ([at]) => at,
    maxLength: 60,
  })
  .map((moments): readonly DaySegment[] =>
    moments.toSorted(([a], [b]) => a - b).map(([at, status]) => ({ timestamp: at / 100, status })),
  );

const statusIn = (day: readonly DaySegment[], percent: number): string =>
  day.findLast(({ timestamp }) => timestamp <= percent)?.status ?? NONE;
const drawnAt = (lane: Lane, percent: number): string =>
  STATUSES[lane.kinds[findIntervalAt(lane, percent)] ?? -1] ?? NONE;
const moments = Array.from({ length: 250 }, (_, index) => index / 2.5 + 0.1);

test('without merging, a lane has the same status as the day at every moment', () => {
  fc.assert(
    fc.property(randomSegments, (day) => {
      const lane = createLane(day, 0);
      expect(moments.map((moment) => drawnAt(lane, moment))).toEqual(moments.map((moment) => statusIn(day, moment)));
    }),
  );
});

test('gaps are merged in order of time, and focus is never dropped', () => {
  fc.assert(
    fc.property(randomSegments, fc.double({ min: 0, max: 20, noNaN: true }), (day, gap) => {
      const lane = createLane(day, gap);
      for (let index = 0; index < lane.froms.length; index += 1) {
        expect(lane.untils[index]).toBeGreaterThan(lane.froms[index] ?? 0);
        if (index > 0) expect(lane.froms[index]).toBeGreaterThanOrEqual(lane.untils[index - 1] ?? 0);
      }
      expect(moments.every((moment) => statusIn(day, moment) !== 'on' || drawnAt(lane, moment) === 'on')).toBe(true);
    }),
  );
});

test('a glance elsewhere does not split an interval, and a glance here is visible', () => {
  const day: DaySegment[] = [
    { timestamp: 10, status: 'on' },
    { timestamp: 11, status: 'off' },
    { timestamp: 11.05, status: 'on' },
    { timestamp: 12, status: 'off' },
    { timestamp: 20, status: 'on' },
    { timestamp: 20.01, status: 'off' },
    { timestamp: 30, status: NONE },
  ];
  const lane = createLane(day, 0.07);
  expect([...lane.froms]).toEqual([10, 12, 20, 20.01]);
  expect(getFocusedRange(lane)).toEqual({ from: 10, until: 20.01 });
  expect(getFocusedRange(createLane([], 1))).toBeUndefined();
  expect(createLane([{ timestamp: 50, status: 'on' }], 1).untils[0]).toBe(100);
});

test('everything in the view is drawn, at least a pixel wide and never over an earlier bar of its kind', () => {
  const view = fc
    .tuple(fc.nat({ max: 90 }), fc.integer({ min: 1, max: 10 }))
    .map(([from, length]) => ({ from, until: from + length }));
  fc.assert(
    fc.property(
      randomSegments,
      fc.oneof(fc.constant(WHOLE_DAY), view),
      fc.integer({ min: 20, max: 900 }),
      (day, visible, width) => {
        const lane = createLane(day, 0);
        const bars: { kind: number; left: number; right: number }[] = [];
        forEachBar(lane, visible, width, (kind, left, right) => void bars.push({ kind, left, right }));
        for (const [index, { kind, left, right }] of bars.entries()) {
          expect(left).toBeGreaterThanOrEqual(0);
          expect(right).toBeLessThanOrEqual(width);
          const before = bars[index - 1];
          if (before?.kind === kind) expect(left - before.right).toBeGreaterThanOrEqual(1);
        }
        const scale = width / (visible.until - visible.from);
        for (const [index, from] of lane.froms.entries()) {
          const middle = (Math.max(from, visible.from) + Math.min(lane.untils[index] ?? 0, visible.until)) / 2;
          if (
            middle <= visible.from ||
            middle >= visible.until ||
            (lane.untils[index] ?? 0) <= visible.from ||
            from >= visible.until
          )
            continue;
          const x = (middle - visible.from) * scale;
          expect(
            bars.some(({ kind, left, right }) => kind === lane.kinds[index] && left <= x + 1e-6 && x <= right + 1),
          ).toBe(true);
        }
      },
    ),
  );
});

const HOUR = 3_600_000;
const createDay = (hours: number) => ({ from: 1_700_000_000_000, until: 1_700_000_000_000 + hours * HOUR });
const inHours = (status: Status, fromHour: number, untilHour: number) => ({
  status,
  from: createDay(24).from + fromHour * HOUR,
  until: createDay(24).from + untilHour * HOUR,
});

test('a day is in percent of its real length, with none while the application is not open', () => {
  expect(toSegments([], createDay(24))).toEqual([{ status: 'none', timestamp: 0 }]);
  for (const hours of [23, 24, 25])
    expect(toSegments([inHours('on', 6, 7.5), inHours('off', 7.5, 9)], createDay(hours))).toEqual([
      { status: 'none', timestamp: 0 },
      { status: 'on', timestamp: expect.closeTo((6 / hours) * 100, 4) },
      { status: 'off', timestamp: expect.closeTo((7.5 / hours) * 100, 4) },
      { status: 'none', timestamp: expect.closeTo((9 / hours) * 100, 4) },
    ]);
});

test('an interval that starts before the day and ends after it fills it', () => {
  expect(toSegments([inHours('off', -3, 40)], createDay(24))).toEqual([{ status: 'off', timestamp: 0 }]);
  expect(toSegments([inHours('on', -3, 0), inHours('on', 24, 30)], createDay(24))).toEqual([
    { status: 'none', timestamp: 0 },
  ]);
});

test('of simultaneous statuses the highest priority is shown, and equal neighbours are one', () => {
  const visible = toSegments(
    [inHours('off', 0, 24), inHours('s', 6, 18), inHours('on', 12, 15), inHours('on', 14, 16)],
    createDay(24),
  );
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
    status: fc.constantFrom(...STATUSES),
    from: fc.integer({ min: -60, max: MINUTES + 60 }).map((value) => minute + value * 60_000),
    until: fc.integer({ min: -60, max: MINUTES + 60 }).map((value) => minute + value * 60_000),
  }),
  { maxLength: 12 },
);

test('each minute has the status of that time', () => {
  fc.assert(
    fc.property(intervals, (some) => {
      const segments = toSegments(some, createDay(24));
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

const share = fc.double({ min: 0, max: 1, noNaN: true });
const turns = fc.array(
  fc.oneof(
    fc.tuple(share, fc.double({ min: 0.2, max: 5, noNaN: true })).map(
      ([at, factor]) =>
        (view: View) =>
          zoomView(view, at, factor),
    ),
    fc.double({ min: -3, max: 3, noNaN: true }).map((by) => (view: View) => panView(view, by)),
  ),
  { maxLength: 30 },
);

test('after any zoom and pan, the view is within the day and at least half an hour long', () => {
  fc.assert(
    fc.property(turns, (all) => {
      const { from, until } = all.reduce((view, change) => change(view), WHOLE_DAY);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(until).toBeLessThanOrEqual(100 + 1e-9);
      expect(until - from).toBeGreaterThanOrEqual(100 / 48 - 1e-9);
    }),
  );
});

test('zooming in keeps the position under the pointer', () => {
  fc.assert(
    fc.property(share, fc.double({ min: 0.1, max: 1, noNaN: true }), (at, factor) => {
      const { from, until } = zoomView(WHOLE_DAY, at, factor);
      expect(from + at * (until - from)).toBeCloseTo(at * 100, 6);
    }),
  );
});

test('the axis has every third hour if there is space, and minutes when it is zoomed', () => {
  expect(listAxisMinutes(WHOLE_DAY, 490).map(formatAxisLabel)).toEqual([
    '00',
    '03',
    '06',
    '09',
    '12',
    '15',
    '18',
    '21',
    '24',
  ]);
  expect(listAxisMinutes(WHOLE_DAY, 250).map(formatAxisLabel)).toEqual(['00', '06', '12', '18', '24']);
  expect(listAxisMinutes({ from: 37.5, until: 41.7 }, 490).map(formatAxisLabel)).toEqual(
    ['09:00', '09:10', '09:20', '09:30', '09:40', '09:50', '10:00'].map((label) => label.replace(/:00$/, '')),
  );
});
