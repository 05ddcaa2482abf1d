import { expect, test } from 'vitest';
import { chordPressed, formatKeys } from './shortcuts.ts';

const pressed = (key: string, code: string, held: string) =>
  chordPressed({
    key,
    code,
    ctrlKey: held.includes('c'),
    metaKey: held.includes('m'),
    altKey: held.includes('a'),
    shiftKey: held.includes('s'),
  });

test('a chord on a real keyboard becomes the shortcut string', () => {
  expect(pressed('t', 'KeyT', 'ca')).toBe('[[keys]]Ctrl-Alt-T');
  expect(pressed('ArrowLeft', 'ArrowLeft', 'a')).toBe('[[keys]]Alt-Left');
  expect(pressed('F4', 'F4', 'a')).toBe('[[keys]]Alt-F4');
  expect(pressed('L', 'KeyL', 'ms')).toBe('[[keys]]Gui-Shift-L');
  expect(pressed('-', 'Minus', 'c')).toBe('[[keys]]Ctrl-Minus');
});

test('Alt that changes a letter does not hide the key', () => {
  expect(pressed('†', 'KeyT', 'a')).toBe('[[keys]]Alt-T');
});

test('letters, Shift alone and modifiers on their own are no chord', () => {
  expect(pressed('a', 'KeyA', '')).toBeUndefined();
  expect(pressed('A', 'KeyA', 's')).toBeUndefined();
  expect(pressed('Control', 'ControlLeft', 'c')).toBeUndefined();
  expect(pressed('Alt', 'AltLeft', 'a')).toBeUndefined();
});

test('keys of a shortcut are formatted for people', () => {
  expect(formatKeys('[[keys]]ctrl-alt-t')).toEqual(['Ctrl', 'Alt', 'T']);
  expect(formatKeys('[[keys]]Ctrl-')).toBeUndefined();
});
