import { expect, test } from 'vitest';
import { NEW_ITEM, STATES, type State, cycleState, isCheckbox, isDone, switchMode } from './list.ts';

const createItem = (state: State, actual = 0, desired = 10) => ({ ...NEW_ITEM, state, actual, desired });

test('switching the mode makes a counted item a ticked checkbox, and any checkbox counted', () => {
  expect(switchMode(0)).toBe(1);
  expect(([1, 2, 3] as const).map(switchMode)).toEqual([0, 0, 0]);
  expect(Object.values(STATES).map(isCheckbox)).toEqual([false, true, true, true]);
});

test('the checkbox button cycles through 1, 2, 3, 1, and does not change a counted item', () => {
  expect(([1, 2, 3] as const).map(cycleState)).toEqual([2, 3, 1]);
  expect(cycleState(0)).toBe(0);
});

test('an item is done if it is ticked, or has its desired quantity', () => {
  expect(([1, 2, 3] as const).map((state) => isDone(createItem(state)))).toEqual([true, false, false]);
  expect(isDone(createItem(0, 9))).toBe(false);
  expect(isDone(createItem(0, 10))).toBe(true);
  expect(isDone(createItem(0, 12))).toBe(true);
  expect(isDone(createItem(0, 0, 0))).toBe(true);
});

test('a checkbox ignores its amount and keeps it for switching back', () => {
  expect(isDone(createItem(2, 10))).toBe(false);
});
