import { expect, test } from 'vitest';
import { getNextIndex } from './listbox.ts';

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
