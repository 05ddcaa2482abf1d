import { expect, test } from 'vitest';
import { findFirstEnabled, appendTyped, getNextIndex } from './listbox.ts';

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
  expect(findFirstEnabled([{ disabled: 'not connected' }, {}, {}])).toBe(1);
  expect(findFirstEnabled([{ disabled: 'not connected' }])).toBe(0);
  expect(findFirstEnabled([])).toBe(0);
});

test('letters typed in quick succession form one text', () => {
  const first = appendTyped({ text: '', at: 0 }, 'W', 1000);
  const second = appendTyped(first, 'o', 1600);
  expect(second).toEqual({ text: 'wo', at: 1600 });
  expect(appendTyped(second, 'L', 2300)).toEqual({ text: 'l', at: 2300 });
});
