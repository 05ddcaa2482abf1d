import { assert, constantFrom, property, string, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  listHeldModifiers,
  isTerminalSwitch,
  findKey,
  keyNames,
  parseShortcut,
  pressSpecialButton,
  formatShortcut,
} from './keys.ts';

const keys = uniqueArray(constantFrom(...keyNames), { minLength: 1 });

describe('shortcut strings', () => {
  test('are read regardless of case, and are formatted in one way', () => {
    for (const text of ['[[keys]]Ctrl-Alt-T', '[[keys]]ctrl-ALT-t', ' [[keys]] Ctrl - Alt - t '])
      expect(parseShortcut(text)).toEqual(['Ctrl', 'Alt', 't']);
    expect(formatShortcut(['Ctrl', 'Alt', 't'])).toBe('[[keys]]Ctrl-Alt-T');
  });

  test('can contain every key of the special-buttons panel, F1 to F12 and the media keys', () => {
    const panel =
      'a b c d e f g h i j k l m n o p q r s t u v w x y z Ctrl Gui Alt Shift Tab Enter Esc Backspace Del Left Up Down ' +
      'Right F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 Minus Play Next Previous Mute VolumeUp VolumeDown 1';
    for (const key of panel.split(' ')) expect(parseShortcut(`[[keys]]${key}`)).toEqual([key]);
  });

  test('that were formatted are read as the same keys', () => {
    assert(
      property(keys, (pressed) => {
        expect(parseShortcut(formatShortcut(pressed))).toEqual(pressed);
      }),
    );
  });

  test.each([
    ['Ctrl-Alt-T', 'A shortcut must start with [[keys]]'],
    ['hello [[keys]]Ctrl', 'A shortcut must be sent alone. Remove the text before [[keys]]'],
    ['[[keys]]', 'The shortcut has no keys. Add some'],
    ['[[keys]]  ', 'The shortcut has no keys. Add some'],
    ['[[keys]]-', 'For the hyphen key, write Minus'],
    ['[[keys]]Ctrl-', 'A key is missing after the last hyphen. Add one'],
    ['[[keys]]-T', 'A key is missing before a hyphen. For the hyphen key, write Minus'],
    ['[[keys]]Ctrl--T', 'A key is missing before a hyphen. For the hyphen key, write Minus'],
    ['[[keys]]Ctrl-Foo', "There is no key called 'Foo'"],
    ['[[keys]]Ctrl-F25', "There is no key called 'F25'. Did you mean F24?"],
    ['[[keys]]Ctrl-Entre', "There is no key called 'Entre'. Did you mean Enter?"],
    ['[[keys]]Bakcspace', "There is no key called 'Bakcspace'. Did you mean Backspace?"],
    ['[[keys]]Ctlr-C', "There is no key called 'Ctlr'. Did you mean Ctrl?"],
    ['[[keys]]Shfit-Tab', "There is no key called 'Shfit'. Did you mean Shift?"],
    ['[[keys]]Ctrl---', 'A key is missing before a hyphen. For the hyphen key, write Minus'],
    ['[[keys]]hello there', "There is no key called 'hello there'"],
    ['[[keys]]Ctrl+', 'A key is missing after the last hyphen. Add one'],
    ['[[keys]]Page', "There is no key called 'Page'. Did you mean PageUp?"],
    ['[[keys]]Ctrl-ctrl-T', 'The shortcut has Ctrl twice'],
    ['[[keys]]Ctrl Right', "'Ctrl Right' may be one key or two. Did you mean Ctrl or Ctrl-Right?"],
    ['[[keys]]alt left', "'alt left' may be one key or two. Did you mean Alt or Alt-Left?"],
    ['[[keys]]Umschalt links', "'Umschalt links' may be one key or two. Did you mean Shift or Shift-Left?"],
    ['[[keys]]win l', "'win l' may be one key or two. Did you mean Gui or Gui-L?"],
    ['[[keys]]Ctrl → C', "There is no key called 'Ctrl → C'. Did you mean Ctrl?"],
    ['[[keys]]Backspace ←', "There is no key called 'Backspace ←'. Did you mean Backspace?"],
    ['[[keys]]C-x', 'C means the letter C here. Did you mean Ctrl-X?'],
    ['[[keys]]M-x', 'M means the letter M here. Did you mean Alt-X?'],
    ['[[keys]]<C-c>', 'C means the letter C here. Did you mean Ctrl-C?'],
    ['[[keys]]a-A', 'The shortcut has A twice'],
    ['[[keys]]constructor', "There is no key called 'constructor'"],
  ])('%j is refused: %s', (text, sentence) => {
    expect(() => parseShortcut(text)).toThrow(sentence);
  });

  test('are read or refused with a sentence, whatever they contain', () => {
    assert(
      property(string({ unit: 'binary' }), (rest) => {
        try {
          expect(parseShortcut(`[[keys]]${rest}`).every((key) => keyNames.includes(key))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
    );
  });
});

describe('names that people know', () => {
  test.each([
    ['Win', 'Gui'],
    ['Windows', 'Gui'],
    ['Super', 'Gui'],
    ['Super_L', 'Gui'],
    ['Meta', 'Gui'],
    ['Cmd', 'Gui'],
    ['Command', 'Gui'],
    ['Control', 'Ctrl'],
    ['Left Ctrl', 'Ctrl'],
    ['Right-Shift', 'Right Shift'],
    ['Control_R', 'Ctrl'],
    ['Option', 'Alt'],
    ['AltGr', 'AltGr'],
    ['Alt Gr', 'AltGr'],
    ['Right Alt', 'AltGr'],
    ['Delete', 'Del'],
    ['Escape', 'Esc'],
    ['Return', 'Enter'],
    ['Insert', 'Insert'],
    ['Ins', 'Insert'],
    ['PrintScreen', 'Print'],
    ['Print Screen', 'Print'],
    ['Print-Screen', 'Print'],
    ['PrtSc', 'Print'],
    ['PrtScn', 'Print'],
    ['Menu', 'Menu'],
    ['Context Menu', 'Menu'],
    ['PgUp', 'PageUp'],
    ['Page Up', 'PageUp'],
    ['page_up', 'PageUp'],
    ['Page-Up', 'PageUp'],
    ['PAGE – DOWN', 'PageDown'],
    ['ArrowLeft', 'Left'],
    ['Left Arrow', 'Left'],
    ['Up-Arrow', 'Up'],
    ['Spacebar', 'Space'],
    ['Caps Lock', 'CapsLock'],
    ['Num-Lock', 'NumLock'],
    ['Scroll Lock', 'ScrollLock'],
    ['Pause/Break', 'Pause'],
    ['PrtScr/SysRq', 'Print'],
    ['F13', 'F13'],
    ['f24', 'F24'],
    ['Plus', '+'],
    ['+', '+'],
    ['Slash', '/'],
    ['/', '/'],
    ['Comma', ','],
    ['Equal', '='],
    ['Minus', 'Minus'],
    ['Numpad 5', 'KP_5'],
    ['Num-5', 'KP_5'],
    ['KP_Add', 'KP_Add'],
    ['NumpadEnter', 'KP_Enter'],
    ['MediaPlayPause', 'Play'],
    ['XF86AudioNext', 'Next'],
    ['Volume Up', 'VolumeUp'],
    ['Volume-Down', 'VolumeDown'],
    ['Stop', 'Stop'],
    ['KeyA', 'a'],
    ['Digit7', '7'],
  ])('%s is the key %s', (written, key) => {
    expect(parseShortcut(`[[keys]]${written}`)).toEqual(key.split(' '));
  });

  test.each([
    ['Ctrl+Alt+T', ['Ctrl', 'Alt', 't']],
    ['Ctrl++', ['Ctrl', '+']],
    ['Ctrl-+', ['Ctrl', '+']],
    ['Ctrl – Shift — Esc', ['Ctrl', 'Shift', 'Esc']],
    ['Ctrl-Page-Down', ['Ctrl', 'PageDown']],
    ['Shift-Up', ['Shift', 'Up']],
    ['Ctrl-/', ['Ctrl', '/']],
    ['<-Ctrl->', ['<', 'Ctrl', '>']],
    ['Win+Print Screen', ['Gui', 'Print']],
    ['Left-Shift', ['Left', 'Shift']],
    ['⌘-C', ['Gui', 'c']],
    ['⌘C', ['Gui', 'c']],
    ['⌃⌥T', ['Ctrl', 'Alt', 't']],
    ['⇧⌘P', ['Shift', 'Gui', 'p']],
    ['Ctrl-↑', ['Ctrl', 'Up']],
    ['Ctrl+⬅️', ['Ctrl', 'Left']],
    ['⇧-Tab', ['Shift', 'Tab']],
    ['⌫', ['Backspace']],
    ['⏎', ['Enter']],
    ['⏯️', ['Play']],
    ['Equals', ['=']],
    ['VolUp', ['VolumeUp']],
    ['Prev', ['Previous']],
    ['LCtrl', ['Ctrl']],
    ['RShift', ['Shift']],
    ['LWin-E', ['Gui', 'e']],
    ['Mod4', ['Gui']],
    ['Mod4-Return', ['Gui', 'Enter']],
    ['Play/Pause', ['Play']],
    ['Left Bracket', ['[']],
    ['Ctrl-Left-Bracket', ['Ctrl', '[']],
    ['Umschalt', ['Shift']],
    ['Strg-Alt-Entf', ['Ctrl', 'Alt', 'Del']],
    ['Strg+Umschalt+Esc', ['Ctrl', 'Shift', 'Esc']],
    ['Bild auf', ['PageUp']],
    ['Pfeil links', ['Left']],
    ['Druck', ['Print']],
    ['Suppr', ['Del']],
    ['ctrl alt del', ['Ctrl', 'Alt', 'Del']],
    ['Ctrl, Alt, Del', ['Ctrl', 'Alt', 'Del']],
    ['Ctrl Page Up', ['Ctrl', 'PageUp']],
    ['Ctrl--', ['Ctrl', 'Minus']],
    ['Ctrl+-', ['Ctrl', 'Minus']],
    ['<Ctrl><Alt>T', ['Ctrl', 'Alt', 't']],
    ['<Primary><Shift>Page_Up', ['Ctrl', 'Shift', 'PageUp']],
    ['<Super>', ['Gui']],
    ['[Ctrl]+[Alt]+[Del]', ['Ctrl', 'Alt', 'Del']],
    ['Ctrl＋Ｃ', ['Ctrl', 'c']],
    ['BrightnessUp', ['BrightnessUp']],
    ['Sleep', ['Sleep']],
    ['Help', ['Help']],
    ['⌘ Cmd', ['Gui']],
    ['Start', ['Gui']],
    ['AltRight', ['AltGr']],
    ['Num +', ['KP_Add']],
    ['Ctrl+NumPad+', ['Ctrl', 'KP_Add']],
    ['Ctrl+Numpad -', ['Ctrl', 'KP_Subtract']],
    ['Num *', ['KP_Multiply']],
    ['Vol+', ['VolumeUp']],
    ['Volume -', ['VolumeDown']],
    ['Retour', ['Enter']],
    ['Flecha arriba', ['Up']],
    ['Barre espace', ['Space']],
    ['Page préc.', ['PageUp']],
    ['Bloq Num', ['NumLock']],
    ['quoteleft', ['`']],
    ['Ctrl-’', ['Ctrl', "'"]],
    ['Doppelpunkt', [':']],
  ])('%s are the keys %j', (written, pressed) => {
    expect(parseShortcut(`[[keys]]${written}`)).toEqual(pressed);
  });
});

describe('special buttons', () => {
  test('insert the marker with the first key and a hyphen before each further one', () => {
    const first = pressSpecialButton('', 'Ctrl');
    expect(first).toBe('[[keys]]Ctrl');
    expect(pressSpecialButton(pressSpecialButton(first, 'Alt'), 't')).toBe('[[keys]]Ctrl-Alt-T');
    expect(pressSpecialButton('Enter text here', 'Esc')).toBe('[[keys]]Esc');
    expect(pressSpecialButton('[[keys]]Ctrl-', 'c')).toBe('[[keys]]Ctrl-C');
    expect(pressSpecialButton('[[keys]]', 'c')).toBe('[[keys]]C');
  });

  test('pressed one after another produce the shortcut of all of them', () => {
    assert(
      property(keys, (pressed) => {
        expect(pressed.reduce(pressSpecialButton, '')).toBe(formatShortcut(pressed));
      }),
    );
  });

  test('remove a pressed modifier again, and leave an empty field after the last one', () => {
    expect(pressSpecialButton('[[keys]]Ctrl-Alt', 'Ctrl')).toBe('[[keys]]Alt');
    expect(pressSpecialButton('[[keys]]Alt', 'Alt')).toBe('');
  });

  test.each([
    ['hello', 'Ctrl', 'A shortcut must be sent alone. Send or clear the text first'],
    ['[[file]]a.sh', 'Ctrl', 'A shortcut must be sent alone. Send or clear the script first'],
    ['[[keys]]Ctrl-T', 't', 'The shortcut already has T'],
    ['[[keys]]Ctrl-Foo', 't', "There is no key called 'Foo'"],
  ])('refuse to spoil %j with %s', (field, key, sentence) => {
    expect(() => pressSpecialButton(field, key)).toThrow(sentence);
  });

  test('show the modifiers of the field as held', () => {
    expect(listHeldModifiers('[[keys]]Ctrl-Shift-T')).toEqual(['Ctrl', 'Shift']);
    for (const none of ['', 'Ctrl', '[[keys]]', '[[keys]]Foo', '[[file]]a.sh'])
      expect(listHeldModifiers(none)).toEqual([]);
  });
});

test('only Ctrl-Alt-F1 to F12 are terminal switches', () => {
  expect(isTerminalSwitch(['Alt', 'Ctrl', 'F12'])).toBe(true);
  for (const chord of [['Ctrl', 'Alt', 't'], ['Alt', 'F4'], ['F1']]) expect(isTerminalSwitch(chord)).toBe(false);
});

test('no key name contains a hyphen or equals another one in a different case', () => {
  expect(keyNames.filter((name) => name.includes('-') || findKey(name.toUpperCase()) !== name)).toEqual([]);
});
