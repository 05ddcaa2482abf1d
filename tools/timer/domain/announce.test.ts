import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeLeft, changeLoop, look, newCountdown, pause, reset, start } from './countdown.ts';
import { lap, NEW_STOPWATCH, pauseStopwatch, resetStopwatch, startStopwatch } from './stopwatch.ts';
import { announceChange, announceEnds, announceStopwatch } from './timeDisplay.ts';

const paused = newCountdown();
const running = start(paused, 0);

test('start and pause are announced with the time left', () => {
  expect(announceChange(paused, running, 0)).toBe('Started, 10 minutes left');
  expect(announceChange(running, pause(running, 138_000), 138_000, 'Tea')).toBe(
    'Tea: Paused, 7 minutes 42 seconds left',
  );
});

test('an end is announced once, and the ends during sleep together', () => {
  const one = look(running, 600_000);
  expect(announceEnds(one)).toBe('Time is up. The next round of 10 minutes has started');
  expect(announceEnds(look(one.countdown, 600_100))).toBeUndefined();
  expect(announceEnds(look(one.countdown, 3_600_000), 'Tea')).toBe(
    'Tea: Time was up 5 times. The next round of 10 minutes has started',
  );
  expect(announceEnds(look(pause(running, 600_500), 601_000))).toBe('Time is up');
});

test('a look without an end announces nothing, no matter how many there were before', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 599_999 })), (times) => {
      for (const time of times) expect(announceEnds(look(running, time))).toBeUndefined();
    }),
  );
});

test('reset and other lengths are not announced, running or paused', () => {
  for (const countdown of [paused, running]) {
    for (const after of [
      reset(countdown, 5000),
      changeLoop(countdown, 90_000, 5000),
      changeLeft(countdown, 1000, 5000),
    ])
      expect(announceChange(countdown, after, 5000)).toBeUndefined();
  }
});

test('the stopwatch announces start and pause, but not laps and reset', () => {
  const runs = startStopwatch(NEW_STOPWATCH, 0);
  expect(announceStopwatch(NEW_STOPWATCH, runs, 0)).toBe('Stopwatch started');
  expect(announceStopwatch(runs, pauseStopwatch(runs, 65_900), 65_900)).toBe('Stopwatch paused at 1 minute 5 seconds');
  expect(announceStopwatch(runs, lap(runs, 1000), 1000)).toBeUndefined();
  expect(announceStopwatch(runs, resetStopwatch(runs, 1000), 1000)).toBeUndefined();
});
