import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONE, statuses } from '../../contract/limits.ts';
import { eachBar, focusedSpan, laneOf, stretchAt, WHOLE_DAY, type DaySegment, type Lane } from './lane.ts';

const segments = fc
  .uniqueArray(fc.tuple(fc.nat({ max: 9999 }), fc.constantFrom(...statuses, NONE)), {
    selector: ([at]) => at,
    maxLength: 60,
  })
  .map((moments): readonly DaySegment[] =>
    moments.toSorted(([a], [b]) => a - b).map(([at, status]) => ({ timestamp: at / 100, status })),
  );

const statusIn = (day: readonly DaySegment[], percent: number): string =>
  day.findLast(({ timestamp }) => timestamp <= percent)?.status ?? NONE;
const drawnAt = (lane: Lane, percent: number): string => statuses[lane.kinds[stretchAt(lane, percent)] ?? -1] ?? NONE;
const moments = Array.from({ length: 250 }, (_, at) => at / 2.5 + 0.1);

test('without merging, a lane has the same status as the day at every moment', () => {
  fc.assert(
    fc.property(segments, (day) => {
      const lane = laneOf(day, 0);
      expect(moments.map((moment) => drawnAt(lane, moment))).toEqual(moments.map((moment) => statusIn(day, moment)));
    }),
  );
});

test('gaps are merged in order of time, and focus is never dropped', () => {
  fc.assert(
    fc.property(segments, fc.double({ min: 0, max: 20, noNaN: true }), (day, gap) => {
      const lane = laneOf(day, gap);
      for (let at = 0; at < lane.froms.length; at += 1) {
        expect(lane.untils[at]).toBeGreaterThan(lane.froms[at] ?? 0);
        if (at > 0) expect(lane.froms[at]).toBeGreaterThanOrEqual(lane.untils[at - 1] ?? 0);
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
  const lane = laneOf(day, 0.07);
  expect([...lane.froms]).toEqual([10, 12, 20, 20.01]);
  expect(focusedSpan(lane)).toEqual({ from: 10, until: 20.01 });
  expect(focusedSpan(laneOf([], 1))).toBeUndefined();
  expect(laneOf([{ timestamp: 50, status: 'on' }], 1).untils[0]).toBe(100);
});

test('everything in the view is drawn, at least a pixel wide and never over an earlier bar of its kind', () => {
  const view = fc
    .tuple(fc.nat({ max: 90 }), fc.integer({ min: 1, max: 10 }))
    .map(([from, span]) => ({ from, until: from + span }));
  fc.assert(
    fc.property(
      segments,
      fc.oneof(fc.constant(WHOLE_DAY), view),
      fc.integer({ min: 20, max: 900 }),
      (day, seen, width) => {
        const lane = laneOf(day, 0);
        const bars: { kind: number; left: number; right: number }[] = [];
        eachBar(lane, seen, width, (kind, left, right) => void bars.push({ kind, left, right }));
        for (const [at, { kind, left, right }] of bars.entries()) {
          expect(left).toBeGreaterThanOrEqual(0);
          expect(right).toBeLessThanOrEqual(width);
          const before = bars[at - 1];
          if (before?.kind === kind) expect(left - before.right).toBeGreaterThanOrEqual(1);
        }
        const scale = width / (seen.until - seen.from);
        for (const [at, from] of lane.froms.entries()) {
          const middle = (Math.max(from, seen.from) + Math.min(lane.untils[at] ?? 0, seen.until)) / 2;
          if (middle <= seen.from || middle >= seen.until || (lane.untils[at] ?? 0) <= seen.from || from >= seen.until)
            continue;
          const x = (middle - seen.from) * scale;
          expect(
            bars.some(({ kind, left, right }) => kind === lane.kinds[at] && left <= x + 1e-6 && x <= right + 1),
          ).toBe(true);
        }
      },
    ),
  );
});
