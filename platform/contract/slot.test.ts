import { expect, test } from 'vitest';
import { addToSlot, defineSlot, listSlotValues } from './slot.ts';

test('a slot has the values that were added to it, in their order, and none of other slots', () => {
  const words = defineSlot<string>('test.words');
  const numbers = defineSlot<number>('test.numbers');
  const entries = [addToSlot(words, 'one'), addToSlot(numbers, 2), addToSlot(words, 'three')];
  expect(listSlotValues(words, entries)).toEqual(['one', 'three']);
  expect(listSlotValues(numbers, entries)).toEqual([2]);
  expect(listSlotValues(defineSlot('test.empty'), entries)).toEqual([]);
});
