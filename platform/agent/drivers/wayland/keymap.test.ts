import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, assert, constantFrom, integer, oneof, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KEYSYM, getKeysymByKey } from '../keysyms.ts';
import { isPersonalKeymap, isTypable, parseKeymap, planTyping, replaceCharacters, type Keymap } from './keymap.ts';

/** Made by `xkbcli compile-keymap --layout …`, without the sections that don't matter here. */
const readKeymap = (name: string): Keymap =>
  parseKeymap(readFileSync(join(import.meta.dirname, 'keymaps', `${name}.xkb`), 'utf8'));
const us = readKeymap('us');
const de = readKeymap('de');
const usRu = readKeymap('us,ru');
const toCodePoint = (character: string): number => character.codePointAt(0) ?? 0;
const findPress = (keymap: Keymap, character: string) => keymap.presses.get(toCodePoint(character));

/** Returns what a program would receive. */
function receive(keymap: Keymap, characters: readonly number[]): readonly number[] {
  return planTyping(keymap, characters).flatMap(({ foreign, presses }) => {
    const partKeymap = parseKeymap(replaceCharacters(keymap, foreign));
    return presses.map(
      (press) =>
        foreign.get(press.code) ??
        [...partKeymap.presses].find(([, other]) => JSON.stringify(other) === JSON.stringify(press))?.[0] ??
        -1,
    );
  });
}

describe('a keymap', () => {
  test('is read with the keys of its layout', () => {
    expect(findPress(us, 'a')).toEqual({ code: 30, modifiers: 0, group: 0 });
    expect(findPress(us, 'A')).toEqual({ code: 30, modifiers: 1, group: 0 });
    expect(findPress(de, 'z')?.code).toBe(findPress(us, 'y')?.code);
    expect(findPress(de, '€')).toEqual({ code: 18, modifiers: 0x80, group: 0 });
    expect(findPress(de, 'ß')).toEqual({ code: 12, modifiers: 0, group: 0 });
    expect(findPress(de, '^')).toBeUndefined(); // a dead key
  });
  test('is read with several layouts: the first one that has a character types it', () => {
    expect(findPress(usRu, 'й')).toEqual({ code: 16, modifiers: 0, group: 1 });
    expect(findPress(usRu, 'q')).toEqual({ code: 16, modifiers: 0, group: 0 });
  });
  test('of a program that types is distinguished from that of a person', () => {
    expect([us, de, usRu].map(({ text }) => isPersonalKeymap(text))).toEqual([true, true, true]);
    const bare = 'xkb_keymap { xkb_keycodes "(unnamed)" { minimum = 8; maximum = 10; <K1> = 9; <K2> = 10; }; };';
    expect(isPersonalKeymap(bare)).toBe(false);
    expect(isPersonalKeymap(replaceCharacters(us, new Map([[30, toCodePoint('é')]])))).toBe(false);
  });
  test('is read with its modifiers', () => {
    expect(us.getModifierMask(getKeysymByKey('Alt') ?? 0)).toBe(8);
    expect(us.getModifierMask(getKeysymByKey('Gui') ?? 0)).toBe(0x40);
    expect(de.getModifierMask(KEYSYM.level3)).toBe(0x80);
    expect(us.getModifierMask(getKeysymByKey('Tab') ?? 0)).toBe(0);
  });
});

describe('a text', () => {
  test('of the layout needs no other keymap', () => {
    const text = Array.from('Grüße, "Öl" für 5 €!\n\tx', toCodePoint);
    const parts = planTyping(de, text);
    expect(parts.map(({ foreign }) => foreign.size)).toEqual([0]);
  });
  test('with a few foreign characters needs one keymap, where used keys keep their characters', () => {
    const [part, ...others] = planTyping(us, Array.from('héllo wörld €', toCodePoint));
    expect(others).toEqual([]);
    expect([...(part?.foreign.values() ?? [])]).toEqual(Array.from('éö€', toCodePoint));
  });
  test.each([
    ['us', us],
    ['de', de],
    ['us,ru', usRu],
  ])('arrives character by character: %s', (_, keymap) => {
    const characters = oneof(
      constantFrom(...Array.from('aA1!zZ \n\tяЖ€é', toCodePoint)),
      integer({ min: 0x20, max: 0x10ffff }).filter(isTypable),
    );
    assert(
      property(array(characters, { maxLength: 120 }), (text) => {
        expect(receive(keymap, text)).toEqual(text);
      }),
      { numRuns: 50 },
    );
  });
});
