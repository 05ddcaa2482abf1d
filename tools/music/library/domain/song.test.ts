import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutTitle, toOneLine, findTitleProblem } from './song.ts';

/** Includes lone surrogates. */
const anyCharacter = fc.integer({ min: 0, max: 0x1ffff }).map((code) => String.fromCodePoint(code));

test.each([
  ['  a \t b\r\nc ', 'a b c'],
  ['\u{202e}evil\u{2066}', 'evil'],
  ['a\0b', 'a b'],
  ['e\u0301', 'é'],
  ['👩\u{200d}🚀', '👩\u{200d}🚀'],
  ['\u{d800}x', '\u{fffd}x'],
])('the title %j is normalized to %j', (typed, normalized) => {
  expect(toOneLine(typed)).toBe(normalized);
});

test('a normalized title is one line and does not change when normalized again', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (typed) => {
      const normalized = toOneLine(typed);
      expect(toOneLine(normalized)).toBe(normalized);
      expect(normalized).not.toMatch(/[\p{Cc}\u{202a}-\u{202e}]/u);
    }),
  );
});

test('a title from a site or file is cut if it is too long', () => {
  expect(cutTitle('x'.repeat(400), 300)).toBe(`${'x'.repeat(299)}…`);
  expect(cutTitle('👋'.repeat(300), 300)).toBe('👋'.repeat(300));
});

test('a blank title is refused, and the refusal of a long one contains its length', () => {
  expect(findTitleProblem('', 'song', 3)).toBe('Enter a title for the song');
  expect(findTitleProblem('👋👋👋', 'song', 3)).toBeUndefined();
  expect(findTitleProblem('👋👋👋👋', 'playlist', 3)).toBe('The title is too long. Enter at most 3 characters');
});
