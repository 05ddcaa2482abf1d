import { expect, test } from 'vitest';
import { describeBrowser, isPhoneBrowser } from './browserName.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const chrome =
  'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36';
const edge =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1';

test('browsers are recognized although their user agents name each other', () => {
  expect(describeBrowser(firefox)).toBe('Firefox on Linux');
  expect(describeBrowser(chrome)).toBe('Chrome on Android');
  expect(describeBrowser(edge)).toBe('Edge on Windows');
  expect(describeBrowser(safari)).toBe('Safari on iOS');
});

test('programs that are not browsers are called by their own name', () => {
  expect(describeBrowser('curl/8.9.1')).toBe('curl');
  expect(describeBrowser('')).toBe('Unknown browser');
});

test('a phone is recognized by its system', () => {
  expect([firefox, chrome, safari].map(isPhoneBrowser)).toEqual([false, true, true]);
});
