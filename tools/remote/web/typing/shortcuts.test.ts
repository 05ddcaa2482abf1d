import { expect, test } from 'vitest';
import { formatPressedShortcut, listKeyLabels } from './shortcuts.ts';

const pressKey = (key: string, code: string, held: string) =>
  formatPressedShortcut({
    key,
    code,
    ctrlKey: held.includes('c'),
    metaKey: held.includes('m'),
    altKey: held.includes('a'),
    shiftKey: held.includes('s'),
  });

test('a chord on a real keyboard becomes the shortcut string', () => {
  expect(pressKey('t', 'KeyT', 'ca')).toBe('[[keys]]Ctrl-Alt-T');
  expect(pressKey('ArrowLeft', 'ArrowLeft', 'a')).toBe('[[keys]]Alt-Left');
  expect(pressKey('F4', 'F4', 'a')).toBe('[[keys]]Alt-F4');
  expect(pressKey('L', 'KeyL', 'ms')).toBe('[[keys]]Gui-Shift-L');
  expect(pressKey('-', 'Minus', 'c')).toBe('[[keys]]Ctrl-Minus');
});

test('Alt that changes a letter does not hide the key', () => {
  expect(pressKey('†', 'KeyT', 'a')).toBe('[[keys]]Alt-T');
});

test('letters, Shift alone and modifiers on their own are no chord', () => {
  expect(pressKey('a', 'KeyA', '')).toBeUndefined();
  expect(pressKey('A', 'KeyA', 's')).toBeUndefined();
  expect(pressKey('Control', 'ControlLeft', 'c')).toBeUndefined();
  expect(pressKey('Alt', 'AltLeft', 'a')).toBeUndefined();
});

test('keys of a shortcut are formatted for people', () => {
  expect(listKeyLabels('[[keys]]ctrl-alt-t')).toEqual(['Ctrl', 'Alt', 'T']);
  expect(listKeyLabels('[[keys]]Ctrl-')).toBeUndefined();
});
