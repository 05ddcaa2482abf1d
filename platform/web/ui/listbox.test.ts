import { expect, test } from 'vitest';
import { findFirstEnabled, appendLetter, getNextIndex } from './listbox.ts';

test('keys stop at both ends', () => {
  expect(getNextIndex('ArrowDown', 1, 3)).toBe(2);
  expect(getNextIndex('ArrowDown', 2, 3)).toBe(2);
  expect(getNextIndex('ArrowUp', 0, 3)).toBe(0);
  expect(getNextIndex('Home', 2, 3)).toBe(0);
  expect(getNextIndex('End', 0, 3)).toBe(2);
  expect(getNextIndex('Tab', 0, 3)).toBeUndefined();
});

test.each(['ArrowDown', 'ArrowUp', 'Home', 'End'])('%s in an empty list selects the first option', (key) =>
  expect(getNextIndex(key, 0, 0)).toBe(0),
);

test('the first enabled option is found, or the first one if all are disabled', () => {
  expect(findFirstEnabled([{ disabledReason: 'not connected' }, {}, {}])).toBe(1);
  expect(findFirstEnabled([{ disabledReason: 'not connected' }])).toBe(0);
  expect(findFirstEnabled([])).toBe(0);
});

test('letters typed in quick succession form one text', () => {
  const first = appendLetter({ text: '', time: 0 }, 'W', 1000);
  const second = appendLetter(first, 'o', 1600);
  expect(second).toEqual({ text: 'wo', time: 1600 });
  expect(appendLetter(second, 'L', 2300)).toEqual({ text: 'l', time: 2300 });
});
