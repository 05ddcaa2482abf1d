import { expect, test } from 'vitest';
import { namesOf } from './names.ts';

test('the sentence contains every name', () => {
  expect(namesOf([])).toBe('');
  expect(namesOf(['Firefox'])).toBe('Firefox');
  expect(namesOf(['Firefox', 'mpv'])).toBe('Firefox and mpv');
  expect(namesOf(['Firefox', 'mpv', 'VLC', 'Music'])).toBe('Firefox, mpv, VLC and Music');
});
