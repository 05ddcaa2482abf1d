import { expect, test } from 'vitest';
import { toQtKeys } from './qtKeys.ts';

test('chords become the numbers of Qt', () => {
  expect(toQtKeys({ modifiers: ['Ctrl', 'Alt'], key: 'r' })).toEqual([0x0c000052]);
  expect(toQtKeys({ modifiers: [], key: 'F9' })).toEqual([0x01000038]);
  expect(toQtKeys({ modifiers: ['Gui', 'Shift'], key: 'Esc' })).toEqual([0x13000000]);
  expect(toQtKeys({ modifiers: [], key: 'ж' })).toEqual([0x416]);
});

test('the key that plays and pauses has two numbers', () => {
  expect(toQtKeys({ modifiers: [], key: 'Play' })).toEqual([0x01000086, 0x01000080]);
});

test('chords for which Qt has no number have none', () => {
  expect(toQtKeys({ modifiers: ['AltGr'], key: 'a' })).toEqual([]);
  expect(toQtKeys({ modifiers: [], key: 'KP_1' })).toEqual([]);
  expect(toQtKeys({ modifiers: [], key: 'NoSuchKey' })).toEqual([]);
});
