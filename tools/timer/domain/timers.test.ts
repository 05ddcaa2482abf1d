import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { newCountdown } from './countdown.ts';
import {
  addTimer,
  chooseTimer,
  getSelectedTimer,
  MAX_TIMERS,
  NAME_LIMIT,
  newTimers,
  readName,
  removeTimer,
  renameTimer,
  withCountdown,
  type Timers,
} from './timers.ts';

test('a visitor starts with one timer, and a new timer is selected', () => {
  const two = addTimer(newTimers());
  expect(two.timers.map(({ name }) => name)).toEqual(['Timer', 'Timer 2']);
  expect(getSelectedTimer(two)?.name).toBe('Timer 2');
  expect(getSelectedTimer(chooseTimer(two, 1))?.name).toBe('Timer');
  expect(chooseTimer(two, 99)).toBe(two);
});

test('names and countdowns change for one timer only', () => {
  const two = addTimer(newTimers(), 'Tea');
  const changed = withCountdown(renameTimer(two, 2, 'Eggs'), 2, newCountdown(90_000));
  expect(changed.timers[0]).toEqual(two.timers[0]);
  expect(changed.timers[1]).toEqual({ id: 2, name: 'Eggs', countdown: newCountdown(90_000) });
});

test('removing the selected timer selects its neighbour, and the last one cannot be removed', () => {
  const three = addTimer(addTimer(newTimers()));
  expect(removeTimer(three, 3).chosen).toBe(2);
  expect(removeTimer(chooseTimer(three, 2), 2).chosen).toBe(3);
  expect(removeTimer(three, 1).chosen).toBe(3);
  expect(removeTimer(newTimers(), 1)).toEqual(newTimers());
});

test.each([
  ['Tea', { name: 'Tea' }],
  ['  Green \n tea\t', { name: 'Green tea' }],
  ['👋'.repeat(NAME_LIMIT), { name: '👋'.repeat(NAME_LIMIT) }],
  ['', { problem: 'Enter a name for the timer' }],
  [' \0 ', { problem: 'Enter a name for the timer' }],
  ['x'.repeat(NAME_LIMIT + 1), { problem: 'This name is too long. Enter at most 40 characters' }],
])('the name %j', (typed, read) => expect(readName(typed)).toEqual(read));

test('there are always 1 to 20 timers, each with its own id, and one is selected', () => {
  const id = fc.integer({ min: 0, max: 30 });
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.constant((all: Timers) => addTimer(all)) },
    { weight: 2, arbitrary: id.map((which) => (all: Timers) => removeTimer(all, which)) },
    { weight: 1, arbitrary: id.map((which) => (all: Timers) => chooseTimer(all, which)) },
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
      const all = changes.reduce((timers, made) => made(timers), newTimers());
      expect(all.timers.length).toBeGreaterThanOrEqual(1);
      expect(all.timers.length).toBeLessThanOrEqual(MAX_TIMERS);
      expect(new Set(all.timers.map((timer) => timer.id)).size).toBe(all.timers.length);
      expect(new Set(all.timers.map((timer) => timer.name)).size).toBe(all.timers.length);
      expect(getSelectedTimer(all)).toBeDefined();
    }),
    { numRuns: 300 },
  );
});
