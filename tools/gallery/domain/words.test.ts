import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHotkey, formatHotkey, parseRegion } from './captureHotkey.ts';

test('a screen region is parsed from X,Y,WxH, and nothing else', () => {
  expect(parseRegion('10,20,640x480')).toEqual({ x: 10, y: 20, width: 640, height: 480 });
  for (const text of ['', '640x480', '-1,0,640x480', '0,0,640,480', '0,0,1e3x5', ' 0,0,6x4', '0,0,6x4\n'])
    expect(parseRegion(text)).toBeUndefined();
});

test('hotkeys are parsed in several spellings, but not if they would block a character', () => {
  expect(parseHotkey('ctrl+alt+R')).toEqual({ modifiers: ['Ctrl', 'Alt'], key: 'r' });
  expect(parseHotkey('Ctrl-Alt-r')).toEqual(parseHotkey('ctrl+alt+R'));
  expect(parseHotkey('Shift+Ctrl+del')).toEqual({ modifiers: ['Ctrl', 'Shift'], key: 'Del' });
  expect(parseHotkey('f9')).toEqual({ modifiers: [], key: 'F9' });
  for (const text of ['', 'r', 'Shift+r', 'Enter', 'Ctrl+', 'Ctrl', 'F13', 'Ctrl+Foo', 'Foo+r', 'Ctrl+r+s'])
    expect(parseHotkey(text)).toBeUndefined();
});

test('parsing a formatted hotkey returns the same hotkey', () => {
  const key = fc.constantFrom('a', 'z', '7', 'F1', 'F12', 'Del', 'Minus');
  fc.assert(
    fc.property(fc.subarray(['Ctrl', 'Alt', 'Shift', 'Gui']), key, (modifiers, pressed) => {
      const hotkey = parseHotkey([...modifiers, pressed].join('+'));
      if (hotkey) expect(parseHotkey(formatHotkey(hotkey))).toEqual(hotkey);
    }),
  );
});

test('a hotkey for recording is understood with other names, spaces and dashes', () => {
  for (const text of ['control + alt + delete', 'Strg–Alt–Del', 'Ctrl+Alt+Delete'])
    expect(parseHotkey(text)).toEqual({ modifiers: ['Ctrl', 'Alt'], key: 'Del' });
  expect(parseHotkey('Super+Return')).toEqual({ modifiers: ['Gui'], key: 'Enter' });
});
