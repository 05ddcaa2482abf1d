import { expect, test } from 'vitest';
import {
  countWrongCode,
  NO_WRONG_CODES,
  getLockoutMs,
  LOCKOUT_MS,
  validateDeviceName,
  cleanText,
} from './deviceHandlers.ts';

test('a name has 1 to 40 characters, and an emoji counts as one', () => {
  expect(validateDeviceName('  Küche 👩‍👩‍👧 ')).toBe('Küche 👩‍👩‍👧');
  expect(validateDeviceName('👋'.repeat(40))).toBe('👋'.repeat(40));
  expect(() => validateDeviceName('👋'.repeat(41))).toThrow('at most 40 characters');
  expect(() => validateDeviceName('')).toThrow('Enter a name for the device');
  expect(() => validateDeviceName(' \u00a0 ')).toThrow('Enter a name for the device');
});

test.each(['a\nb', 'a\u0000b', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\u202eb', 'a\ud800b'])(
  'control characters are refused: %j',
  (name) => {
    expect(() => validateDeviceName(name)).toThrow("can't contain control characters");
    expect(cleanText(name, 40, 'computer')).toBe('ab');
  },
);

test('a reported text is cleaned and truncated, and replaced if nothing is left', () => {
  expect(cleanText('x'.repeat(100), 40, 'computer')).toBe('x'.repeat(40));
  expect(cleanText(' \u0007 ', 40, 'computer')).toBe('computer');
});

const countWrongCodesAt = (...times: readonly number[]) => times.reduce(countWrongCode, NO_WRONG_CODES);
const start = 1_800_000_000_000;

test('after five wrong codes, an account waits for ten minutes from the last one', () => {
  const four = countWrongCodesAt(start, start + 1, start + 2, start + 3);
  expect(getLockoutMs(four, start + 3)).toBe(0);
  const five = countWrongCode(four, start + 60_000);
  expect(getLockoutMs(five, start + 60_000)).toBe(LOCKOUT_MS);
  expect(getLockoutMs(five, start + 60_000 + LOCKOUT_MS - 1)).toBe(1);
  expect(getLockoutMs(five, start + 60_000 + LOCKOUT_MS)).toBe(0);
});

test('the count of wrong codes starts again ten minutes after the last one', () => {
  const four = countWrongCodesAt(start, start, start, start);
  expect(countWrongCode(four, start + LOCKOUT_MS).wrong).toBe(1);
  expect(countWrongCode(four, start + LOCKOUT_MS - 1).wrong).toBe(5);
});
