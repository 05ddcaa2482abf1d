import { expect, test } from 'vitest';
import { namesOf } from './names.ts';

test('every name is in the sentence', () => {
  expect(namesOf([])).toBe('');
  expect(namesOf(['Firefox'])).toBe('Firefox');
  expect(namesOf(['Firefox', 'mpv'])).toBe('Firefox and mpv');
  expect(namesOf(['Firefox', 'mpv', 'VLC', 'Music'])).toBe('Firefox, mpv, VLC and Music');
});
