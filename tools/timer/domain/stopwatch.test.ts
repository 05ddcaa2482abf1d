import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  lap,
  getLapDuration,
  listLaps,
  MAX_LAPS,
  movedStopwatch,
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
  stopwatch = lap(stopwatch, NOON + 1500);
  stopwatch = lap(stopwatch, NOON + 4000);
  expect(listLaps(stopwatch)).toEqual([
    { number: 2, took: 2500, total: 4000 },
    { number: 1, took: 1500, total: 1500 },
  ]);
  expect(getLapDuration(stopwatch, NOON + 4100)).toBe(100);
  expect(getElapsed(stopwatch, NOON + 4100)).toBe(4100);
});

test('while paused no lap can be taken, and starting or pausing twice changes nothing', () => {
  expect(lap(NEW_STOPWATCH, NOON)).toBe(NEW_STOPWATCH);
  const running = startStopwatch(NEW_STOPWATCH, NOON);
  expect(startStopwatch(running, NOON + 5)).toBe(running);
  const paused = pauseStopwatch(running, NOON + 10);
  expect(pauseStopwatch(paused, NOON + 20)).toBe(paused);
  expect(lap(paused, NOON + 20)).toBe(paused);
});

test('reset removes time and laps, and a running stopwatch restarts from zero', () => {
  const running = lap(startStopwatch(NEW_STOPWATCH, NOON), NOON + 1000);
  expect(resetStopwatch(running, NOON + 2000)).toEqual({ ran: 0, since: NOON + 2000, laps: [] });
  expect(resetStopwatch(pauseStopwatch(running, NOON + 2000), NOON + 3000)).toEqual(NEW_STOPWATCH);
});

test('laps beyond the maximum are not taken', () => {
  let stopwatch = startStopwatch(NEW_STOPWATCH, NOON);
  for (let taken = 1; taken <= MAX_LAPS + 1; taken++) stopwatch = lap(stopwatch, NOON + taken);
  expect(stopwatch.laps).toHaveLength(MAX_LAPS);
});

test('it shows the sum of the intervals it ran, and the laps add up to the same', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(wait, wait, wait)), wait, (intervals, last) => {
      let [stopwatch, now, ran] = [NEW_STOPWATCH, NOON, 0];
      for (const [before, after, idleTimes] of intervals) {
        stopwatch = startStopwatch(stopwatch, now);
        stopwatch = lap(stopwatch, now + before);
        stopwatch = pauseStopwatch(stopwatch, now + before + after);
        now += before + after + idleTimes;
        ran += before + after;
      }
      stopwatch = startStopwatch(stopwatch, now);
      expect(getElapsed(stopwatch, now + last)).toBe(ran + last);
      const laps = listLaps(stopwatch).reduce((sum, { took }) => sum + took, 0);
      expect(laps + getLapDuration(stopwatch, now + last)).toBe(ran + last);
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
        stopwatch = startStopwatch(pauseStopwatch(lap(stopwatch, now + leap), now + leap), now + leap);
        now += leap;
        expect(getLapDuration(stopwatch, now)).toBeGreaterThanOrEqual(0);
      }
      expect(listLaps(stopwatch).every(({ took }) => took >= 0)).toBe(true);
    }),
  );
});

test('a lap after the clock was set back took no time', () => {
  const once = lap(startStopwatch(NEW_STOPWATCH, NOON), NOON + 5000);
  expect(listLaps(lap(once, NOON + 2000))[0]).toEqual({ number: 2, took: 0, total: 5000 });
});

test('shifted along with its clock, it continues unchanged', () => {
  fc.assert(
    fc.property(fc.integer({ min: -YEAR, max: YEAR }), wait, (by, later) => {
      const running = startStopwatch(NEW_STOPWATCH, NOON);
      expect(getElapsed(movedStopwatch(running, by), NOON + by + later)).toBe(later);
    }),
  );
});
