import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findShortcutCodes, listModifierCodes } from '../wayland/keyCodes.ts';
import { parseKeymap, type Keymap } from '../wayland/keymap.ts';
import { planLayoutTyping } from './layoutPlan.ts';

const readKeymap = (name: string): Keymap =>
  parseKeymap(readFileSync(join(import.meta.dirname, '../wayland/keymaps', `${name}.xkb`), 'utf8'));
const us = readKeymap('us');
const de = readKeymap('de');
const usRu = readKeymap('us,ru');
const toCodePoints = (text: string): readonly number[] =>
  Array.from(text, (character) => character.codePointAt(0) ?? 0);
const plan = (keymap: Keymap, text: string, current = 0, canSwitch = keymap.layouts.length > 1) =>
  planLayoutTyping(keymap, toCodePoints(text), { current, canSwitch, canTypeKeysyms: false });
const listDropped = (keymap: Keymap, text: string): string => String.fromCodePoint(...plan(keymap, text).dropped);

describe('a plan for typing', () => {
  test('types all of ASCII with any layout, also with dead keys', () => {
    const ascii = String.fromCodePoint(...Array.from({ length: 95 }, (_, index) => 0x20 + index));
    for (const keymap of [us, de, usRu]) expect(listDropped(keymap, `${ascii}\n\t`)).toBe('');
  });
  test('names what the layouts lack, in the order of the text, and types the rest', () => {
    expect(listDropped(us, 'Grüße, 你好 👋')).toBe('üß你好👋');
    expect(listDropped(de, 'Grüße, 你好 👋')).toBe('你好👋');
    const [part] = plan(us, 'aäb').parts;
    expect(part?.presses.map(({ code }) => code)).toEqual([30, 48]);
  });
  test('puts an accent on a letter with the dead key of the layout', () => {
    const [part] = plan(de, 'ê^').parts;
    const CIRCUMFLEX = 41;
    const E = 18;
    const SPACE = 57;
    expect(part?.presses.map(({ code }) => code)).toEqual([CIRCUMFLEX, E, CIRCUMFLEX, SPACE]);
  });
  test('does not replace a separate accent by a letter with an accent', () => {
    expect(listDropped(de, 'e\u0301')).toBe('\u0301');
  });
  test('changes the layout as rarely as possible', () => {
    expect(plan(usRu, 'ab, где? c').parts.map(({ layout, presses }) => [layout, presses.length])).toEqual([
      [0, 4],
      [1, 5],
      [0, 1],
    ]);
    expect(plan(usRu, 'где', 1).parts.map(({ layout }) => layout)).toEqual([1]);
  });
  test('types by keysyms what the layouts lack, if that is possible', () => {
    const options = { current: 0, canSwitch: true, canTypeKeysyms: true };
    const { parts, dropped } = planLayoutTyping(usRu, toCodePoints('aß👋бb\u0007'), options);
    expect(parts.map(({ layout, presses, keysyms }) => [layout, presses.length, keysyms.length])).toEqual([
      [0, 1, 2],
      [1, 1, 0],
      [0, 1, 0],
    ]);
    expect(dropped).toEqual([7]);
  });
  test('stays in the layout that is in use if others can’t be chosen', () => {
    expect(plan(usRu, 'aб', 0, false).dropped).toEqual(toCodePoints('б'));
    expect(plan(usRu, 'aб', 1, false).dropped).toEqual(toCodePoints('a'));
  });
});

describe('the keys of a shortcut', () => {
  test('are those of the layout in use', () => {
    expect(findShortcutCodes(de, 'z', 0)).toEqual([21]);
    expect(findShortcutCodes(us, 'z', 0)).toEqual([44]);
    expect(findShortcutCodes(de, '/', 0)).toEqual([42, 8]);
    expect(findShortcutCodes(de, 'Minus', 0)).toEqual([53]);
  });
  test('are those of another layout if the one in use has no Latin letters', () => {
    expect(findShortcutCodes(usRu, 'a', 1)).toEqual([30]);
    expect(findShortcutCodes(usRu, 'ф', 1)).toEqual([30]);
  });
  test('are found by name, and unknown ones are not', () => {
    expect(findShortcutCodes(us, 'Ctrl', 0)).toEqual([29]);
    expect(findShortcutCodes(us, 'F4', 0)).toEqual([62]);
    expect(findShortcutCodes(de, 'AltGr', 0)).toEqual([100]);
    expect(findShortcutCodes(us, 'NoSuchKey', 0)).toBeUndefined();
  });
  test('hold AltGr and Shift for the levels that need them', () => {
    const level3 = 0x80;
    expect(listModifierCodes(de, level3 | 1)).toEqual([100, 42]);
    expect(listModifierCodes(us, 0)).toEqual([]);
  });
});
