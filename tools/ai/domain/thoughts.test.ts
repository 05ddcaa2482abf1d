import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOpeningTagPrefix, separateThoughts } from './thoughts.ts';

test.each<readonly [string, string, string, string]>([
  ['at the start', '<think>\nHm, 6 times 7.\n</think>\n\n42', 'Hm, 6 times 7.', '42'],
  ['after blank lines', '\n\n<think>Hm</think>42', 'Hm', '42'],
  ['by another name', '<Thinking>Hm</Thinking>\n42', 'Hm', '42'],
  ['in the marks of another model', '◁think▷Hm◁/think▷42', 'Hm', '42'],
  ['that are empty', '<think>\n\n</think>\n\nHello', '', 'Hello'],
  ['that have not ended', '<think>Hm, 6 times', 'Hm, 6 times', ''],
  ['twice', '<think>a</think>\n<think>b</think>\n42', 'a\n\nb', '42'],
  ['again in the middle', '<think>a</think>One\n<think>b</think>\nTwo', 'a\n\nb', 'One\n\nTwo'],
  ['without an opening tag', 'Hm, 6 times 7.\n</think>\n\n42', 'Hm, 6 times 7.', '42'],
  ['that quote a tag of another name', '<think>no </thought> here</think>42', 'no </thought> here', '42'],
])('thoughts %s are apart from the answer', (_, whole, thoughts, text) => {
  expect(separateThoughts(whole)).toEqual({ thoughts, text });
});

test.each([
  'The tag <think> opens a thought, </think> closes it.',
  '```xml\n<think>\nHm\n</think>\n```',
  'Write it so:\n\n```\nHm\n</think>\n```\ndone',
  'A line that begins with\n<think> and never closes it',
  'I think. Therefore <b>I am</b>',
  '',
])('an answer that only speaks of tags stays whole: %j', (text) => {
  expect(separateThoughts(text)).toEqual({ thoughts: '', text });
});

/** Every character but tags and blanks, in order. */
const sorted = (text: string): string =>
  text
    .replaceAll(/<\/?think>|◁\/?think▷|\s/g, '')
    .split('')
    .toSorted()
    .join('');

test('nothing but tags and blanks around them is lost', () => {
  const word = fc.constantFrom('a', 'b ', '\n', '<think>', '</think>', '```\n', '<b>', '◁think▷', '◁/think▷');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const { thoughts, text } = separateThoughts(words.join(''));
      expect(sorted(thoughts + text)).toBe(sorted(words.join('')));
    }),
  );
});

test('the start of a tag is not yet an answer', () => {
  expect(['<', ' <thi', '<reason', '◁th'].map(isOpeningTagPrefix)).toEqual([true, true, true, true]);
  expect(['', '<b', 'x<', '<thinking> a'].map(isOpeningTagPrefix)).toEqual([false, false, false, false]);
});
