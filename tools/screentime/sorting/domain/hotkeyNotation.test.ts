import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { MAX_HOTKEY_LENGTH } from '../../contract/limits.ts';
import {
  type Hotkey,
  hotkeyModifiers,
  hotkeyNames,
  normalizeHotkey,
  parseHotkey,
  formatHotkey,
} from './hotkeyNotation.ts';

const isFree = ({ modifiers, key }: Hotkey): boolean =>
  !(modifiers.includes('Ctrl') && modifiers.includes('Alt') && /^F([1-9]|1[0-2])$/.test(key));
const key = fc.oneof(fc.constantFrom(...hotkeyNames), fc.constantFrom(...Array.from('abcxyzäßéжשあ0189+,./#\\<')));
const hotkey: fc.Arbitrary<Hotkey> = fc.record({ modifiers: fc.subarray([...hotkeyModifiers]), key }).filter(isFree);

describe('a hotkey', () => {
  test.each([
    ['m', 'm'],
    ['M', 'm'],
    [' f9 ', 'F9'],
    ['ctrl-alt-m', 'Ctrl-Alt-M'],
    ['Alt+Control+m', 'Ctrl-Alt-M'],
    ['<ctrl>+<alt>+h', 'Ctrl-Alt-H'],
    ['Shift - page up', 'Shift-PageUp'],
    ['Prior', 'PageUp'],
    ['page_down', 'PageDown'],
    ['XF86AudioRaiseVolume', 'VolumeUp'],
    ['XK_KP_Add', 'KP_Add'],
    ['Numpad7', 'KP_7'],
    ['Key.media_volume_mute', 'Mute'],
    ['ArrowLeft', 'Left'],
    ['KeyQ', 'q'],
    ['Digit3', '3'],
    ['Super_L-space', 'Gui-Space'],
    ['-', 'Minus'],
    ['Ctrl--', 'Ctrl-Minus'],
    ['Ctrl++', 'Ctrl-+'],
    ['+', '+'],
    ['<', '<'],
    ['bracketleft', '['],
    ['Ctrl-Ö', 'Ctrl-Ö'],
    ['ß', 'ß'],
    ['Ctrl-Alt-F13', 'Ctrl-Alt-F13'],
    ['', ''],
    ['  ', ''],
  ])('written %j is stored as %j', (text, normalized) => expect(normalizeHotkey(text)).toBe(normalized));

  test.each([
    ['Ctrl-Alt', /^Add a key other than/],
    ['Ctrl-Alt-', /^Add a key other than/],
    ['shift', /^Add a key other than/],
    ['Ctrl-Control-m', /has Ctrl twice/],
    ['Hyper', /no key called 'Hyper'.*F9/],
    ['constructor', /no key called/],
    ['Hyper-m', /no key called 'Hyper-m'/],
    ['a b', /no key called/],
    ['👋👋', /no key called/],
    ['\u0301', /no key called/],
    ['\u0000', /no key called/],
    ['\uD800', /no key called/],
    ['Alt-Ctrl-F1', /Ctrl-Alt-F1 is reserved by the system/],
    ['ctrl+alt+shift+f12', /is reserved by the system/],
    ['x'.repeat(MAX_HOTKEY_LENGTH + 1), /at most 40 characters/],
  ])('written %j is refused in words', (text, pattern) => {
    expect(() => parseHotkey(text)).toThrow(Refusal);
    expect(() => parseHotkey(text)).toThrow(pattern);
  });

  test('is parsed as it was formatted, and never too long to be stored', () => {
    fc.assert(
      fc.property(hotkey, (expected) => {
        const text = formatHotkey(expected);
        expect(parseHotkey(text)).toEqual(expected);
        expect(Array.from(text).length).toBeLessThanOrEqual(MAX_HOTKEY_LENGTH);
      }),
    );
  });

  test('is the same in other cases, with other separators and another order of modifiers', () => {
    fc.assert(
      fc.property(
        hotkey,
        fc.boolean(),
        fc.constantFrom('-', '+', ' - ', ' + '),
        fc.infiniteStream(fc.nat()),
        (expected, isLow, separator, dice) => {
          const shuffled = expected.modifiers
            .map((name) => ({ name, at: dice.next().value ?? 0 }))
            .toSorted((a, b) => a.at - b.at)
            .map(({ name }) => (isLow ? name.toLowerCase() : name.toUpperCase()));
          expect(parseHotkey([...shuffled, expected.key].join(separator))).toEqual(expected);
        },
      ),
    );
  });

  test('is parsed from any text, or refused; and normalizing it again changes nothing', () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc
        .array(
          fc.constantFrom(
            'ctrl',
            'Alt',
            '-',
            '+',
            ' ',
            'm',
            'F1',
            '<',
            '>',
            '_',
            'Key.',
            'XK_',
            'Ö',
            'İ',
            '\u0301',
            '👋',
            '\uDC00',
          ),
          { maxLength: 8 },
        )
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let normalized: string;
        try {
          normalized = normalizeHotkey(text);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          return;
        }
        expect(normalizeHotkey(normalized)).toBe(normalized);
      }),
    );
  });
});

test('dashes of phones, and modifiers with a side before their name, are understood', () => {
  for (const text of ['Ctrl–Alt–M', 'ctrl — alt − m', 'LCtrl+RAlt+m', 'Left Ctrl + Right Alt + M'])
    expect(normalizeHotkey(text)).toBe('Ctrl-Alt-M');
  expect(normalizeHotkey('–')).toBe('–');
});
