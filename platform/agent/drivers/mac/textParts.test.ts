import { expect, test } from 'vitest';
import { MAX_UNITS_PER_EVENT, splitText } from './textParts.ts';

const joinParts = (text: string): string =>
  splitText(text)
    .parts.map((part) => (part.kind === 'string' ? part.text : `[${part.key}]`))
    .join('|');
const listStrings = (text: string): readonly string[] =>
  splitText(text).parts.flatMap((part) => (part.kind === 'string' ? [part.text] : []));

const FAMILY = '👨‍👩‍👧‍👦';

test.each([
  ['ascii', 'The quick brown fox jumps over the lazy dog'],
  ['every unit is half of a character', '👋'.repeat(101)],
  ['a pair over the limit', `${'a'.repeat(19)}👋b`],
  ['families of emoji', `${'a'.repeat(15)}${FAMILY.repeat(5)}`],
  ['flags', `abc${'🇩🇪'.repeat(30)}`],
  ['more combining marks than an event has units', `e${'\u0301'.repeat(50)}`],
  ['Hangul, kana and Chinese', '안녕하세요 こんにちは 你好'.repeat(9)],
])('%s: nothing is lost, no event is too long, and no character is cut', (_, text) => {
  const strings = listStrings(text);
  expect(strings.join('')).toBe(text);
  for (const string of strings) {
    expect(string.length).toBeLessThanOrEqual(MAX_UNITS_PER_EVENT);
    expect(string.isWellFormed()).toBe(true);
  }
});

test('a character of several code points is not split if it fits into an event', () => {
  expect(listStrings(`${'a'.repeat(15)}${FAMILY}`)).toEqual(['a'.repeat(15), FAMILY]);
  expect(listStrings(`${'a'.repeat(19)}e\u0301`)).toEqual(['a'.repeat(19), 'e\u0301']);
});

test('events are as long as they may be', () => {
  expect(listStrings('x'.repeat(200)).map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 20));
});

test('line breaks of all systems, tabs and backspaces are keys', () => {
  expect(joinParts('a\r\nb\rc\nd\te\bf')).toBe('a|[Enter]|b|[Enter]|c|[Enter]|d|[Tab]|e|[Backspace]|f');
  expect(joinParts('\n\n')).toBe('[Enter]|[Enter]');
});

test('what can’t be typed is named, and the rest stays', () => {
  expect(splitText('a\u0007b\u0085\ud83dc')).toEqual({
    parts: [{ kind: 'string', text: 'abc' }],
    dropped: ['\u0007', '\u0085', '\ud83d'],
  });
  expect(splitText('')).toEqual({ parts: [], dropped: [] });
});
