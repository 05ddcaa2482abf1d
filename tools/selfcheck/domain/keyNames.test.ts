import { expect, test } from 'vitest';
import { formatPressedKey, isModifierKey, type PressedKey } from './keyNames.ts';

const press = (key: string, code: string, modifiers: Partial<PressedKey> = {}): string =>
  formatPressedKey({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers });

test('keys have the names of the agent', () => {
  expect(press('Escape', 'Escape')).toBe('Esc');
  expect(press('ArrowLeft', 'ArrowLeft')).toBe('Left');
  expect(press('F9', 'F9')).toBe('F9');
});

test('modifiers have the order of the agent', () => {
  expect(press('ArrowRight', 'ArrowRight', { shiftKey: true, ctrlKey: true })).toBe('Ctrl+Shift+Right');
  expect(press('A', 'KeyA', { shiftKey: true, metaKey: true })).toBe('Gui+Shift+a');
});

test('a letter is that of the layout, or of the place if the layout has none', () => {
  expect(press('a', 'KeyQ', { ctrlKey: true })).toBe('Ctrl+a');
  expect(press('ф', 'KeyA', { ctrlKey: true })).toBe('Ctrl+a');
  expect(press('2', 'Digit2')).toBe('2');
});

test('modifiers alone are no pressed keys', () => {
  expect(isModifierKey({ key: 'Shift' })).toBe(true);
  expect(isModifierKey({ key: 'a' })).toBe(false);
});
