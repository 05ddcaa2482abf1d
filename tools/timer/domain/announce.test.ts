import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeRemaining, changeLoop, updateCountdown, createCountdown, pause, reset, start } from './countdown.ts';
import { addLap, NEW_STOPWATCH, pauseStopwatch, resetStopwatch, startStopwatch } from './stopwatch.ts';
import { describeChange, describeEnds, describeStopwatchChange } from './timeDisplay.ts';

const paused = createCountdown();
const running = start(paused, 0);

test('start and pause are announced with the time left', () => {
  expect(describeChange(paused, running, 0)).toBe('Started, 10 minutes left');
  expect(describeChange(running, pause(running, 138_000), 138_000, 'Tea')).toBe(
    'Tea: Paused, 7 minutes 42 seconds left',
  );
});

test('an end is announced once, and the ends during sleep together', () => {
  const update = updateCountdown(running, 600_000);
  expect(describeEnds(update)).toBe('Time is up. The next round of 10 minutes has started');
  expect(describeEnds(updateCountdown(update.countdown, 600_100))).toBeUndefined();
  expect(describeEnds(updateCountdown(update.countdown, 3_600_000), 'Tea')).toBe(
    'Tea: Time was up 5 times. The next round of 10 minutes has started',
  );
  expect(describeEnds(updateCountdown(pause(running, 600_500), 601_000))).toBe('Time is up');
});

test('an update without an end announces nothing, no matter how many there were before', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 599_999 })), (times) => {
      for (const time of times) expect(describeEnds(updateCountdown(running, time))).toBeUndefined();
    }),
  );
});

test('reset and other lengths are not announced, running or paused', () => {
  for (const countdown of [paused, running]) {
    for (const after of [
      reset(countdown, 5000),
      changeLoop(countdown, 90_000, 5000),
      changeRemaining(countdown, 1000, 5000),
    ])
      expect(describeChange(countdown, after, 5000)).toBeUndefined();
  }
});

test('the stopwatch announces start and pause, but not laps and reset', () => {
  const runningStopwatch = startStopwatch(NEW_STOPWATCH, 0);
  expect(describeStopwatchChange(NEW_STOPWATCH, runningStopwatch, 0)).toBe('Stopwatch started');
  expect(describeStopwatchChange(runningStopwatch, pauseStopwatch(runningStopwatch, 65_900), 65_900)).toBe(
    'Stopwatch paused at 1 minute 5 seconds',
  );
  expect(describeStopwatchChange(runningStopwatch, addLap(runningStopwatch, 1000), 1000)).toBeUndefined();
  expect(describeStopwatchChange(runningStopwatch, resetStopwatch(runningStopwatch, 1000), 1000)).toBeUndefined();
});
