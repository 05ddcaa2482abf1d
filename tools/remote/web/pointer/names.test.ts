import { expect, test } from 'vitest';
import { formatNames } from './names.ts';

test('the sentence contains every name', () => {
  expect(formatNames([])).toBe('');
  expect(formatNames(['Firefox'])).toBe('Firefox');
  expect(formatNames(['Firefox', 'mpv'])).toBe('Firefox and mpv');
  expect(formatNames(['Firefox', 'mpv', 'VLC', 'Music'])).toBe('Firefox, mpv, VLC and Music');
});
