import { expect, test } from 'vitest';
import { createShortcutLayout, findKey, type TranslateKey } from './keyboardLayout.ts';
import {
  getKeyCode,
  getKeyFlags,
  getMediaKey,
  OPTION_BIT,
  SHIFT_BIT,
  toEventFlags,
  translateUsKey,
} from './keyCodes.ts';

const COMMAND_BIT = 0x100;
const translateUs: TranslateKey = (code, modifiers) => (modifiers === 0 ? translateUsKey(code) : '');
/** A Greek layout, which types Latin letters while Command is held. */
const translateGreek: TranslateKey = (code, modifiers) => {
  if ((modifiers & COMMAND_BIT) !== 0) return translateUsKey(code);
  if (modifiers !== 0) return '';
  return { 0: 'α', 6: 'ζ' }[code] ?? '';
};
const translateGerman: TranslateKey = (code, modifiers) => {
  if (modifiers === SHIFT_BIT && code === 26) return '/';
  if (modifiers === OPTION_BIT && code === 37) return '@';
  return modifiers === 0 ? ({ 6: 'y', 16: 'z' }[code] ?? translateUsKey(code)) : '';
};

test('keys of the US layout have the codes of Apple’s headers', () => {
  const codes = {
    a: 0,
    s: 1,
    z: 6,
    b: 11,
    q: 12,
    '1': 18,
    '5': 23,
    '=': 24,
    '0': 29,
    o: 31,
    p: 35,
    l: 37,
    n: 45,
    '`': 50,
  };
  for (const [character, code] of Object.entries(codes)) expect(translateUsKey(code)).toBe(character);
  expect([10, 21, 36, 48, 49, 51].map(translateUsKey)).toEqual(['', '4', '', '', '', '']);
});

test('a character is found where the layout has it, with the modifiers that it needs', () => {
  const layout = createShortcutLayout([translateGerman]);
  expect(layout.find('z', true)).toEqual({ code: 16, carbonModifiers: 0 });
  expect(layout.find('/', false)).toEqual({ code: 44, carbonModifiers: 0 });
  expect(layout.find('@', true)).toEqual({ code: 37, carbonModifiers: OPTION_BIT });
  expect(layout.find('я', false)).toBeUndefined();
});

test('a layout without Latin letters uses those that it has with Command, or another layout', () => {
  const layout = createShortcutLayout([translateGreek, translateGerman]);
  expect(layout.find('α', false)).toEqual({ code: 0, carbonModifiers: 0 });
  expect(layout.find('z', true)).toEqual({ code: 6, carbonModifiers: 0 });
  expect(layout.find('z', false)).toEqual({ code: 16, carbonModifiers: 0 });
});

function failToReadLayout(): never {
  throw new Error('not needed');
}

test('keys that no layout changes don’t need one', () => {
  expect(findKey('Left', ['Gui', 'Left'], failToReadLayout)).toEqual({ code: 123, carbonModifiers: 0 });
  expect(findKey('KP_9', ['KP_9'], failToReadLayout)).toEqual({ code: 92, carbonModifiers: 0 });
  expect(findKey('NoSuchKey', ['NoSuchKey'], failToReadLayout)).toBeUndefined();
  const layout = createShortcutLayout([translateUs]);
  expect(findKey('Minus', ['Minus'], () => layout)).toEqual({ code: 27, carbonModifiers: 0 });
});

test('every key that the panel shows has a code, a media key or a character', () => {
  const named = ['Tab', 'Enter', 'Esc', 'Backspace', 'Del', 'Space', 'Left', 'Up', 'Down', 'Right', 'Home', 'End'];
  for (const key of [...named, 'PageUp', 'PageDown', ...Array.from({ length: 20 }, (_, index) => `F${index + 1}`)])
    expect(getKeyCode(key), key).toBeDefined();
  for (const key of ['Play', 'Next', 'Previous', 'Mute', 'VolumeUp', 'VolumeDown'])
    expect(getMediaKey(key)).toBeDefined();
});

test('keys have the flags of a real keyboard, and modifiers theirs', () => {
  expect(getKeyFlags(123)).toBe(0xa00000n);
  expect(getKeyFlags(122)).toBe(0x800000n);
  expect(getKeyFlags(92)).toBe(0x200000n);
  expect(getKeyFlags(0)).toBe(0n);
  expect(toEventFlags(0x100 | SHIFT_BIT | OPTION_BIT | 0x1000)).toBe(0x1e0000n);
});
