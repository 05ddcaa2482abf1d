import { expect, test } from 'vitest';
import { afterWrong, NO_TRIES, waitOf, WRONG_WAIT_MS } from './deviceHandlers.ts';

const wrongAt = (...times: readonly number[]) => times.reduce(afterWrong, NO_TRIES);
const start = 1_800_000_000_000;

test('after five wrong codes, an account waits for ten minutes from the last one', () => {
  const four = wrongAt(start, start + 1, start + 2, start + 3);
  expect(waitOf(four, start + 3)).toBe(0);
  const five = afterWrong(four, start + 60_000);
  expect(waitOf(five, start + 60_000)).toBe(WRONG_WAIT_MS);
  expect(waitOf(five, start + 60_000 + WRONG_WAIT_MS - 1)).toBe(1);
  expect(waitOf(five, start + 60_000 + WRONG_WAIT_MS)).toBe(0);
});

test('the count of wrong codes starts again ten minutes after the last one', () => {
  const four = wrongAt(start, start, start, start);
  expect(afterWrong(four, start + WRONG_WAIT_MS).wrong).toBe(1);
  expect(afterWrong(four, start + WRONG_WAIT_MS - 1).wrong).toBe(5);
});
