import { expect, test } from 'vitest';
import { stepTo } from './listbox.ts';

test('keys lead to the ends and stay there', () => {
  expect(stepTo('ArrowDown', 1, 3)).toBe(2);
  expect(stepTo('ArrowDown', 2, 3)).toBe(2);
  expect(stepTo('ArrowUp', 0, 3)).toBe(0);
  expect(stepTo('Home', 2, 3)).toBe(0);
  expect(stepTo('End', 0, 3)).toBe(2);
  expect(stepTo('Tab', 0, 3)).toBeUndefined();
});

test.each(['ArrowDown', 'ArrowUp', 'Home', 'End'])(
  '%s in a list whose options are still to come leads to the first of them',
  (key) => expect(stepTo(key, 0, 0)).toBe(0),
);
