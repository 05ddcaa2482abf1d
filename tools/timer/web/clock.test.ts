import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { updateCountdown, createCountdown, start } from '../domain/countdown.ts';
import { MAX_SLEEP_MS, createClock, updateClock, getTime } from './clock.ts';

/** 2026-11-21T12:00:00Z. */
const NOON = 1_795_262_400_000;
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

/** Returns the time after `passed` steady milliseconds in which the wall clock advanced by `wall`. */
function getTimeAfter(passed: number, wall: number): number {
  const first = { steady: 5000, wall: NOON };
  const now = { steady: 5000 + passed, wall: NOON + wall };
  return getTime(updateClock(createClock(first), now), now) - NOON;
}

test.each([
  ['no jump', 100, 100, 100],
  ['a sleep in which the steady clock stood still', 100, 5 * HOUR, 5 * HOUR],
  ['a sleep the steady clock counted', 5 * HOUR, 5 * HOUR, 5 * HOUR],
  ['a clock set back by a year', 100, -YEAR, 100],
  ['a clock set forward by a year', 100, YEAR, 100],
  ['a clock set back by a second', 100, -900, 100],
  ['a clock corrected over the network', 100, 600, 100],
])('%s', (_, passed, wall, time) => expect(getTimeAfter(passed, wall)).toBe(time));

test('the clock never goes back, and without jumps it equals the steady clock however often it is read', () => {
  const step = fc.record({ passed: fc.nat({ max: HOUR }), leap: fc.integer({ min: -2 * YEAR, max: 2 * YEAR }) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let reading = { steady: 0, wall: NOON };
      let clock = createClock(reading);
      let expected = NOON;
      for (const { passed, leap } of steps) {
        const before = getTime(clock, reading);
        reading = { steady: reading.steady + passed, wall: reading.wall + passed + leap };
        clock = updateClock(clock, reading);
        expect(getTime(clock, reading)).toBeGreaterThanOrEqual(before + passed);
        expected += passed + (leap > 2000 && leap <= MAX_SLEEP_MS ? leap : 0);
      }
      expect(getTime(clock, reading)).toBe(expected);
    }),
  );
});

test('small corrections of the wall clock never add up', () => {
  let reading = { steady: 0, wall: NOON };
  let clock = createClock(reading);
  for (let hour = 1; hour <= 100; hour++) {
    reading = { steady: hour * HOUR, wall: NOON + hour * (HOUR + 100) };
    clock = updateClock(clock, reading);
  }
  expect(getTime(clock, reading)).toBe(NOON + 100 * HOUR);
});

test('a countdown counts the ends during sleep, and ignores a clock that is set by a year', () => {
  const step = fc.record({
    passed: fc.nat({ max: HOUR }),
    slept: fc.constantFrom(0, 5 * HOUR),
    set: fc.constantFrom(0, -YEAR, YEAR),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let reading = { steady: 0, wall: NOON };
      let clock = createClock(reading);
      let countdown = start(createCountdown(), getTime(clock, reading));
      let [elapsed, ends] = [0, 0];
      for (const { passed, slept, set } of steps) {
        const leap = set === 0 ? slept : set;
        reading = { steady: reading.steady + passed, wall: reading.wall + passed + leap };
        clock = updateClock(clock, reading);
        elapsed += passed + (set === 0 ? slept : 0);
        const update = updateCountdown(countdown, getTime(clock, reading));
        countdown = update.countdown;
        ends += update.endCount;
        expect(update.view.remaining).toBe(600_000 - (elapsed % 600_000));
        expect(ends).toBe(Math.floor(elapsed / 600_000));
      }
    }),
  );
});
