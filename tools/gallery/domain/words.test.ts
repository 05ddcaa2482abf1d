import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHotkey, hotkeyText, regionFrom } from './captureHotkey.ts';

test('a part of the screen is written as X,Y,WxH, and nothing else is accepted', () => {
  expect(regionFrom('10,20,640x480')).toEqual({ x: 10, y: 20, width: 640, height: 480 });
  for (const text of ['', '640x480', '-1,0,640x480', '0,0,640,480', '0,0,1e3x5', ' 0,0,6x4', '0,0,6x4\n'])
    expect(regionFrom(text)).toBeUndefined();
});

test('hotkeys are read as people write them, and never one that could not be typed any more', () => {
  expect(parseHotkey('ctrl+alt+R')).toEqual({ modifiers: ['Ctrl', 'Alt'], key: 'r' });
  expect(parseHotkey('Ctrl-Alt-r')).toEqual(parseHotkey('ctrl+alt+R'));
  expect(parseHotkey('Shift+Ctrl+del')).toEqual({ modifiers: ['Ctrl', 'Shift'], key: 'Del' });
  expect(parseHotkey('f9')).toEqual({ modifiers: [], key: 'F9' });
  for (const text of ['', 'r', 'Shift+r', 'Enter', 'Ctrl+', 'Ctrl', 'F13', 'Ctrl+Foo', 'Foo+r', 'Ctrl+r+s'])
    expect(parseHotkey(text)).toBeUndefined();
});

test('a formatted hotkey is read as the same one', () => {
  const key = fc.constantFrom('a', 'z', '7', 'F1', 'F12', 'Del', 'Minus');
  fc.assert(
    fc.property(fc.subarray(['Ctrl', 'Alt', 'Shift', 'Gui']), key, (modifiers, pressed) => {
      const read = parseHotkey([...modifiers, pressed].join('+'));
      if (read) expect(parseHotkey(hotkeyText(read))).toEqual(read);
    }),
  );
});
