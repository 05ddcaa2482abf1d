import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { getInputType } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  validateOutgoingMessage,
  formatDroppedCharacters,
  parseMessageAction,
  validateScriptText,
  normalizeScriptName,
} from './outgoingMessage.ts';

test('a text is a shortcut by its marker, else a file by its marker, else plain text', () => {
  expect(getInputType('[[keys]]Ctrl-Alt-T')).toBe(2);
  expect(getInputType('see [[keys]]Ctrl and [[file]]a.sh')).toBe(2);
  expect(getInputType('[[file]]a.sh')).toBe(3);
  expect(getInputType('Grüße')).toBe(1);
  assert(
    property(string({ unit: 'binary' }), (text) => {
      expect([1, 2, 3]).toContain(getInputType(text));
    }),
  );
});

const wave = '👋';

test.each([
  ['', 'no id', 'No text to send'],
  ['Enter text here', '1', 'No text to send'],
  ['x'.repeat(201), 'no id', 'no device selected'],
  ['x', '', 'no device selected'],
  ['x'.repeat(201), '1', 'Message is too long at 201 characters, limit is 200 characters'],
  [wave.repeat(250), '1', 'Message is too long at 250 characters, limit is 200 characters'],
  ['a\0b', '1', "The text contains a NUL character, which can't be typed"],
])('sending %j to %j is refused: %s', (text, target, sentence) => {
  expect(() => validateOutgoingMessage(text, target)).toThrow(sentence);
});

test('200 code points are accepted, and so is a space', () => {
  for (const text of ['x'.repeat(200), wave.repeat(200), ' '])
    expect(() => validateOutgoingMessage(text, '1')).not.toThrow();
});

test('the action of a message follows from its type', () => {
  expect(parseMessageAction(1, '[[keys]]Ctrl')).toEqual({ kind: 'type', text: '[[keys]]Ctrl' });
  expect(parseMessageAction(2, '[[keys]]ctrl-c')).toEqual({ kind: 'press', keys: ['Ctrl', 'c'] });
  expect(parseMessageAction(3, '[[file]]back up.sh')).toEqual({ kind: 'script', name: 'back up.sh' });
});

test.each([
  ['a.sh', 'A script must start with [[file]]'],
  ['run [[file]]a.sh', 'A script must be sent alone. Remove the text before [[file]]'],
  ['[[file]]', 'No file selected'],
  ['[[file]]../a.sh', "A file name can't contain a slash or backslash"],
])('the file string %j is refused: %s', (text, sentence) => {
  expect(() => parseMessageAction(3, text)).toThrow(sentence);
});

test.each([
  ['', 'No file selected'],
  ['a/b.sh', "A file name can't contain a slash or backslash"],
  [String.raw`C:\fakepath\a.sh`, "A file name can't contain a slash or backslash"],
  ['a\nb.sh', "A file name can't contain control characters"],
  ['a\0.sh', "A file name can't contain control characters"],
  ['a\u202ehs.exe', "A file name can't contain control characters"],
  ['a\ud800.sh', "A file name can't contain control characters"],
  ['.', "'.' is not a file name"],
  ['..', "'..' is not a file name"],
  ['  ', "'  ' is not a file name"],
  ['x'.repeat(300), 'This file name is too long. Enter at most 100 characters'],
  ['\u0958'.repeat(51), 'This file name is too long. Enter at most 100 characters'],
  ['[[keys]].sh', "A file name can't contain [[keys]], because it would be sent as a shortcut"],
])('the file name %j is refused: %s', (name, sentence) => {
  expect(() => normalizeScriptName(name)).toThrow(sentence);
});

test('other file names are stored with one spelling each, and can be sent', () => {
  for (const name of ['a.sh', '.hidden', 'no ending', 'день 👨‍👩‍👧.py', wave.repeat(100), '<b>.sh', '[[file]]'])
    expect(normalizeScriptName(name)).toBe(name);
  expect(normalizeScriptName('cafe\u0301.sh')).toBe('caf\u00e9.sh');
  assert(
    property(string({ unit: 'grapheme' }), (name) => {
      let stored = '';
      try {
        stored = normalizeScriptName(name);
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
        return;
      }
      const text = `[[file]]${stored}`;
      expect(() => validateOutgoingMessage(text, '1')).not.toThrow();
      expect(parseMessageAction(getInputType(text), text)).toEqual({ kind: 'script', name: stored });
    }),
  );
});

test('a script is a non-empty text', () => {
  expect(() => validateScriptText('')).toThrow(new Refusal('remote.file_empty', 'file has no data'));
  expect(() => validateScriptText('\x7fELF\0')).toThrow(
    new Refusal(
      'remote.not_text',
      'This is not a text file. To start a program on a computer, add a script that starts it, such as program.cmd',
    ),
  );
  expect(() => validateScriptText('echo 1\n')).not.toThrow();
});

test('characters that could not be typed are named once each, invisible ones by their code points', () => {
  expect(formatDroppedCharacters(['ﷺ', '\u0007', 'ﷺ'])).toBe('could not type: ﷺ U+0007');
  const many = Array.from({ length: 25 }, (_, index) => String.fromCodePoint(0x4e00 + index));
  expect(formatDroppedCharacters(many)).toMatch(/ and 5 more$/);
});
