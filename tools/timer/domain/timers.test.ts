import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCountdown } from './countdown.ts';
import {
  addTimer,
  selectTimer,
  getSelectedTimer,
  MAX_TIMERS,
  MAX_NAME_LENGTH,
  createTimers,
  parseName,
  removeTimer,
  renameTimer,
  withCountdown,
  type Timers,
} from './timers.ts';

test('a visitor starts with one timer, and a new timer is selected', () => {
  const two = addTimer(createTimers());
  expect(two.timers.map(({ name }) => name)).toEqual(['Timer', 'Timer 2']);
  expect(getSelectedTimer(two)?.name).toBe('Timer 2');
  expect(getSelectedTimer(selectTimer(two, 1))?.name).toBe('Timer');
  expect(selectTimer(two, 99)).toBe(two);
});

test('names and countdowns change for one timer only', () => {
  const two = addTimer(createTimers(), 'Tea');
  const changed = withCountdown(renameTimer(two, 2, 'Eggs'), 2, createCountdown(90_000));
  expect(changed.timers[0]).toEqual(two.timers[0]);
  expect(changed.timers[1]).toEqual({ id: 2, name: 'Eggs', countdown: createCountdown(90_000) });
});

test('removing the selected timer selects its neighbour, and the last one cannot be removed', () => {
  const three = addTimer(addTimer(createTimers()));
  expect(removeTimer(three, 3).chosen).toBe(2);
  expect(removeTimer(selectTimer(three, 2), 2).chosen).toBe(3);
  expect(removeTimer(three, 1).chosen).toBe(3);
  expect(removeTimer(createTimers(), 1)).toEqual(createTimers());
});

test.each([
  ['Tea', { name: 'Tea' }],
  ['  Green \n tea\t', { name: 'Green tea' }],
  ['👋'.repeat(MAX_NAME_LENGTH), { name: '👋'.repeat(MAX_NAME_LENGTH) }],
  ['', { problem: 'Enter a name for the timer' }],
  [' \0 ', { problem: 'Enter a name for the timer' }],
  ['x'.repeat(MAX_NAME_LENGTH + 1), { problem: 'This name is too long. Enter at most 40 characters' }],
])('the name %j', (input, result) => expect(parseName(input)).toEqual(result));

test('there are always 1 to 20 timers, each with its own id, and one is selected', () => {
  const id = fc.integer({ min: 0, max: 30 });
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.constant((state: Timers) => addTimer(state)) },
    { weight: 2, arbitrary: id.map((which) => (state: Timers) => removeTimer(state, which)) },
    { weight: 1, arbitrary: id.map((which) => (state: Timers) => selectTimer(state, which)) },
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
      const state = changes.reduce((timers, apply) => apply(timers), createTimers());
      expect(state.timers.length).toBeGreaterThanOrEqual(1);
      expect(state.timers.length).toBeLessThanOrEqual(MAX_TIMERS);
      expect(new Set(state.timers.map((timer) => timer.id)).size).toBe(state.timers.length);
      expect(new Set(state.timers.map((timer) => timer.name)).size).toBe(state.timers.length);
      expect(getSelectedTimer(state)).toBeDefined();
    }),
    { numRuns: 300 },
  );
});
