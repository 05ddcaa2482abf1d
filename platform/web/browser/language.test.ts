import { expect, test } from 'vitest';
import { patchLanguage, normalizeLanguage } from './language.ts';

test('a language that is not a tag becomes the intended tag, or English', () => {
  const cases: readonly (readonly [string | undefined, string | undefined])[] = [
    ['en-GB', 'en-GB'],
    ['de', 'de'],
    [undefined, undefined],
    ['en_US', 'en-US'],
    ['de_DE.UTF-8', 'de-DE'],
    ['en-US@posix', 'en-US'],
    ['C', 'en'],
    ['C.UTF-8', 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['english', 'english'],
    ['not a language', 'en'],
    ['en-', 'en'],
  ];
  for (const [language, meant] of cases) expect(normalizeLanguage(language)).toBe(meant);
});

test('the language of the browser is replaced for later readers', () => {
  const navigator = { language: 'C' };
  patchLanguage(navigator);
  expect(navigator.language).toBe('en');
  expect(() => new Intl.NumberFormat(navigator.language)).not.toThrow();
});
