import { expect, test } from 'vitest';
import { checkName, cleanText } from './deviceName.ts';

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
