import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addLap,
  getCurrentLapDuration,
  listLaps,
  MAX_LAPS,
  shiftStopwatch,
  NEW_STOPWATCH,
  pauseStopwatch,
  getElapsed,
  resetStopwatch,
  startStopwatch,
} from './stopwatch.ts';

/** 2026-11-21T12:00:00Z. */
const NOON = 1_795_262_400_000;
const YEAR = 365 * 24 * 3_600_000;
const wait = fc.nat({ max: 10 * 3_600_000 });

test('laps are listed latest first, each with its own time and the total', () => {
  let stopwatch = startStopwatch(NEW_STOPWATCH, NOON);
  stopwatch = addLap(stopwatch, NOON + 1500);
  stopwatch = addLap(stopwatch, NOON + 4000);
  expect(listLaps(stopwatch)).toEqual([
    { number: 2, duration: 2500, total: 4000 },
    { number: 1, duration: 1500, total: 1500 },
  ]);
  expect(getCurrentLapDuration(stopwatch, NOON + 4100)).toBe(100);
  expect(getElapsed(stopwatch, NOON + 4100)).toBe(4100);
});

test('while paused no lap can be count, and starting or pausing twice changes nothing', () => {
  expect(addLap(NEW_STOPWATCH, NOON)).toBe(NEW_STOPWATCH);
  const running = startStopwatch(NEW_STOPWATCH, NOON);
  expect(startStopwatch(running, NOON + 5)).toBe(running);
  const paused = pauseStopwatch(running, NOON + 10);
  expect(pauseStopwatch(paused, NOON + 20)).toBe(paused);
  expect(addLap(paused, NOON + 20)).toBe(paused);
});

test('reset removes time and laps, and a running stopwatch restarts from zero', () => {
  const running = addLap(startStopwatch(NEW_STOPWATCH, NOON), NOON + 1000);
  expect(resetStopwatch(running, NOON + 2000)).toEqual({ ran: 0, since: NOON + 2000, laps: [] });
  expect(resetStopwatch(pauseStopwatch(running, NOON + 2000), NOON + 3000)).toEqual(NEW_STOPWATCH);
});

test('laps beyond the maximum are not count', () => {
  let stopwatch = startStopwatch(NEW_STOPWATCH, NOON);
  for (let count = 1; count <= MAX_LAPS + 1; count++) stopwatch = addLap(stopwatch, NOON + count);
  expect(stopwatch.laps).toHaveLength(MAX_LAPS);
});

test('it shows the sum of the intervals it ran, and the laps add up to the same', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(wait, wait, wait)), wait, (intervals, last) => {
      let [stopwatch, now, ran] = [NEW_STOPWATCH, NOON, 0];
      for (const [beforeLap, afterLap, idleTime] of intervals) {
        stopwatch = startStopwatch(stopwatch, now);
        stopwatch = addLap(stopwatch, now + beforeLap);
        stopwatch = pauseStopwatch(stopwatch, now + beforeLap + afterLap);
        now += beforeLap + afterLap + idleTime;
        ran += beforeLap + afterLap;
      }
      stopwatch = startStopwatch(stopwatch, now);
      expect(getElapsed(stopwatch, now + last)).toBe(ran + last);
      const laps = listLaps(stopwatch).reduce((sum, { duration }) => sum + duration, 0);
      expect(laps + getCurrentLapDuration(stopwatch, now + last)).toBe(ran + last);
    }),
  );
});

test('no clock makes it show less than before, or a lap of negative length', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -YEAR, max: YEAR }), { minLength: 1 }), (leaps) => {
      let [stopwatch, now] = [startStopwatch(NEW_STOPWATCH, NOON), NOON];
      for (const leap of leaps) {
        const before = stopwatch.ran;
        expect(getElapsed(stopwatch, now + leap)).toBeGreaterThanOrEqual(before);
        stopwatch = startStopwatch(pauseStopwatch(addLap(stopwatch, now + leap), now + leap), now + leap);
        now += leap;
        expect(getCurrentLapDuration(stopwatch, now)).toBeGreaterThanOrEqual(0);
      }
      expect(listLaps(stopwatch).every(({ duration }) => duration >= 0)).toBe(true);
    }),
  );
});

test('a lap after the clock was set back took no time', () => {
  const firstLap = addLap(startStopwatch(NEW_STOPWATCH, NOON), NOON + 5000);
  expect(listLaps(addLap(firstLap, NOON + 2000))[0]).toEqual({ number: 2, duration: 0, total: 5000 });
});

test('shifted along with its clock, it continues unchanged', () => {
  fc.assert(
    fc.property(fc.integer({ min: -YEAR, max: YEAR }), wait, (by, later) => {
      const running = startStopwatch(NEW_STOPWATCH, NOON);
      expect(getElapsed(shiftStopwatch(running, by), NOON + by + later)).toBe(later);
    }),
  );
});
