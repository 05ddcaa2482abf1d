import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_COUNTDOWN_MS } from './countdown.ts';
import {
  formatHundredths,
  formatRemaining,
  formatElapsed,
  formatRound,
  toRemainingSeconds,
  formatSpokenRemaining,
  formatTitle,
} from './timeDisplay.ts';

test.each([
  [600_000, '10:00'],
  [599_999, '10:00'],
  [599_000, '09:59'],
  [61_000, '01:01'],
  [1000, '00:01'],
  [1, '00:01'],
  [0, '00:00'],
  [-5, '00:00'],
  [5_999_000, '99:59'],
  [6_000_000, '100:00'],
  [MAX_COUNTDOWN_MS, '6000:00'],
])('%i ms left is %s', (remaining, text) => expect(formatRemaining(remaining)).toBe(text));

test.each([
  [0, '00:00', '00:00.00'],
  [999, '00:00', '00:00.99'],
  [1009, '00:01', '00:01.00'],
  [61_230, '01:01', '01:01.23'],
  [6_000_010, '100:00', '100:00.01'],
  [-1, '00:00', '00:00.00'],
])('%i ms on a stopwatch are %s, and %s with hundredths', (ran, short, long) => {
  expect(formatElapsed(ran)).toBe(short);
  expect(formatHundredths(ran)).toBe(long);
});

test('the text equals the whole seconds, and never grows while time passes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_COUNTDOWN_MS }), fc.nat({ max: 5000 }), (remaining, passed) => {
      const [minutes = '', seconds = ''] = formatRemaining(remaining).split(':');
      expect(minutes.length).toBeGreaterThanOrEqual(2);
      expect(seconds).toMatch(/^[0-5]\d$/);
      expect(Number(minutes) * 60 + Number(seconds)).toBe(toRemainingSeconds(remaining));
      expect(toRemainingSeconds(remaining - passed)).toBeLessThanOrEqual(toRemainingSeconds(remaining));
    }),
  );
});

test.each([
  [0, 'first round'],
  [2, 'third round'],
  [9, 'tenth round'],
  [10, '11th round'],
  [20, '21st round'],
  [111, '112th round'],
])('after %i ends it is the %s', (rounds, text) => expect(formatRound(rounds)).toBe(text));

test('the title is the time left, marked after an end, with the name if there are several timers', () => {
  expect(formatTitle({ remaining: 462_000 })).toBe('07:42');
  expect(formatTitle({ remaining: 462_000, name: 'Tea' })).toBe('07:42 · Tea');
  expect(formatTitle({ remaining: 598_000, hasEnded: true, name: 'Tea' })).toBe('Time is up · 09:58 · Tea');
});

test.each([
  [462_000, '7 minutes 42 seconds left'],
  [61_000, '1 minute 1 second left'],
  [3_600_000, '1 hour left'],
  [7_325_000, '2 hours 2 minutes 5 seconds left'],
  [0, '0 seconds left'],
])('%i ms are spoken as "%s"', (remaining, text) => expect(formatSpokenRemaining(remaining)).toBe(text));
