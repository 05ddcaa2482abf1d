import { expect, test } from 'vitest';
import { countWrongCode, NO_TRIES, getWaitMs, WRONG_WAIT_MS, checkName, cleanText } from './deviceHandlers.ts';

test('a name has 1 to 40 characters, and an emoji counts as one', () => {
  expect(checkName('  Küche 👩‍👩‍👧 ')).toBe('Küche 👩‍👩‍👧');
  expect(checkName('👋'.repeat(40))).toBe('👋'.repeat(40));
  expect(() => checkName('👋'.repeat(41))).toThrow('at most 40 characters');
  expect(() => checkName('')).toThrow('Enter a name for the device');
  expect(() => checkName(' \u00a0 ')).toThrow('Enter a name for the device');
});

test.each(['a\nb', 'a\u0000b', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\u202eb', 'a\ud800b'])(
  'control characters are refused: %j',
  (name) => {
    expect(() => checkName(name)).toThrow("can't contain control characters");
    expect(cleanText(name, 40, 'computer')).toBe('ab');
  },
);

test('a reported text is cleaned and truncated, and replaced if nothing is left', () => {
  expect(cleanText('x'.repeat(100), 40, 'computer')).toBe('x'.repeat(40));
  expect(cleanText(' \u0007 ', 40, 'computer')).toBe('computer');
});

const wrongAt = (...times: readonly number[]) => times.reduce(countWrongCode, NO_TRIES);
const start = 1_800_000_000_000;

test('after five wrong codes, an account waits for ten minutes from the last one', () => {
  const four = wrongAt(start, start + 1, start + 2, start + 3);
  expect(getWaitMs(four, start + 3)).toBe(0);
  const five = countWrongCode(four, start + 60_000);
  expect(getWaitMs(five, start + 60_000)).toBe(WRONG_WAIT_MS);
  expect(getWaitMs(five, start + 60_000 + WRONG_WAIT_MS - 1)).toBe(1);
  expect(getWaitMs(five, start + 60_000 + WRONG_WAIT_MS)).toBe(0);
});

test('the count of wrong codes starts again ten minutes after the last one', () => {
  const four = wrongAt(start, start, start, start);
  expect(countWrongCode(four, start + WRONG_WAIT_MS).wrong).toBe(1);
  expect(countWrongCode(four, start + WRONG_WAIT_MS - 1).wrong).toBe(5);
});
