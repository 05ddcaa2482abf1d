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
  ['that end on the last line', 'Hm. It is OK.</think>\n\nHello', 'Hm. It is OK.', 'Hello'],
  ['that end behind a blank', 'Hm. It is OK. </think>\n\nHello', 'Hm. It is OK.', 'Hello'],
  ['that end right before the answer', 'a</think>Hello', 'a', 'Hello'],
  ['that end on the line of the answer', 'a\n</think>Hello', 'a', 'Hello'],
  ['in square brackets', '[THINK]Hm[/THINK]Hello', 'Hm', 'Hello'],
  ['that end in square brackets', 'Hm.[/THINK]Hello', 'Hm.', 'Hello'],
  ['under a name with a colon', '<seed:think>Hm</seed:think>Hello', 'Hm', 'Hello'],
  [
    'in a channel',
    '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Hi',
    'Hm',
    'Hi',
  ],
  [
    'in a channel without an end',
    '<|channel|>analysis<|message|>Hm<|channel|>final<|message|>Hi<|return|>',
    'Hm',
    'Hi',
  ],
  ['in no channel', '<|channel|>final<|message|>Hi<|return|>', '', 'Hi'],
  ['with a blank in the mark', '<think >Hm</think >Hello', 'Hm', 'Hello'],
  [
    'before a solution',
    '<|begin_of_thought|>Hm<|end_of_thought|>\n<|begin_of_solution|>Hi<|end_of_solution|>',
    'Hm',
    'Hi',
  ],
  ['that hold thoughts', '<think>a<think>b</think>c</think>Hello', 'a<think>b</think>c', 'Hello'],
  ['that speak of their mark', '<think>What is <think>?</think>Hello', 'What is <think>?', 'Hello'],
  ['before a marked answer', '<think>Hm</think>\n<answer>Hi</answer>', 'Hm', 'Hi'],
  ['before a marked answer that runs', '<think>Hm</think>\n<answer>Hi', 'Hm', 'Hi'],
])('thoughts %s are separated from the answer', (_, input, thoughts, text) => {
  expect(separateThoughts(input)).toEqual({ thoughts, text });
});

test.each([
  'The tag <think> opens a thought, </think> closes it.',
  '```xml\n<think>\nHm\n</think>\n```',
  'Write it so:\n\n```\nHm\n</think>\n```\ndone',
  'A line that begins with\n<think> and never closes it',
  'A thought ends with </think> there.',
  'Write `</think>` behind it, "</think>", or (</think>), but not </think>.',
  'Between<think>and</think>it thinks',
  '<answer>Hi</answer>',
  'I think. Therefore <b>I am</b>',
  '',
])('an answer that only mentions tags is not changed: %j', (text) => {
  expect(separateThoughts(text)).toEqual({ thoughts: '', text });
});

/** Returns all characters except tags and blanks, sorted. */
const listCharacters = (text: string): string =>
  text
    .replaceAll(/<\/?think>|◁\/?think▷|\s/g, '')
    .split('')
    .toSorted()
    .join('');

test('only tags and the blanks around them are removed', () => {
  const word = fc.constantFrom('a', 'b ', '\n', '<think>', '</think>', '```\n', '<b>', '◁think▷', '◁/think▷');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const { thoughts, text } = separateThoughts(words.join(''));
      expect(listCharacters(thoughts + text)).toBe(listCharacters(words.join('')));
    }),
  );
});

test('the prefix of a tag is not part of the answer yet', () => {
  expect(['<', ' <thi', '<reason', '◁th'].map(isOpeningTagPrefix)).toEqual([true, true, true, true]);
  expect(['[TH', '<seed:', '<|channel|>ana'].map(isOpeningTagPrefix)).toEqual([true, true, true]);
  expect(['', '<b', 'x<', '<thinking> a'].map(isOpeningTagPrefix)).toEqual([false, false, false, false]);
});

test.each([
  ['<think id="1">a</think>b', 'a', 'b'],
  ['<think>a</thinking>b', 'a', 'b'],
  ['<mm:think>a</mm:think>b', 'a', 'b'],
  ['<scratchpad>a</scratchpad>b', 'a', 'b'],
  ['[thinking]a[/thinking]b', 'a', 'b'],
  ['<|thinking|>a<|/thinking|>b', 'a', 'b'],
  ['<｜begin▁of▁thinking｜>a<｜end▁of▁thinking｜>b', 'a', 'b'],
  ['<think>a</think><final>b</final>', 'a', 'b'],
  ['<think>a</think>\n<response>b</response>', 'a', 'b'],
  ['<final>b</final>', '', '<final>b</final>'],
])('%j is separated', (input, thoughts, text) => {
  expect(separateThoughts(input)).toEqual({ thoughts, text });
});
