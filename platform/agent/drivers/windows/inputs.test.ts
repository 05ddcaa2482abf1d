import { expect, test } from 'vitest';
import { encodeInputs, INPUT_BYTES, planTyping, toAbsoluteMove } from './inputs.ts';
import { getVirtualKey, isExtendedKey, isReservedShortcut, parseKeyScan } from './virtualKeys.ts';

const getScanCode = (virtualKey: number): number => virtualKey + 100;
const [UP, UNICODE] = [2, 4];

test('a character is pressed and released in each of its UTF-16 units', () => {
  const { characters, dropped } = planTyping('a👋', getScanCode);
  expect(characters).toEqual([
    [0x61, 0x61].map((scanCode, index) => ({ virtualKey: 0, scanCode, flags: UNICODE | (index * UP) })),
    [0xd83d, 0xd83d, 0xdc4b, 0xdc4b].map((scanCode, index) => ({
      virtualKey: 0,
      scanCode,
      flags: UNICODE | ((index % 2) * UP),
    })),
  ]);
  expect(dropped).toEqual([]);
});

test('newlines of all systems, tabs and backspaces are keys', () => {
  const { characters } = planTyping('\r\n\n\r\t\b', getScanCode);
  expect(characters.map(([down]) => down?.virtualKey)).toEqual([13, 13, 13, 9, 8]);
  expect(characters[0]).toEqual([
    { virtualKey: 13, scanCode: 113, flags: 0 },
    { virtualKey: 13, scanCode: 113, flags: UP },
  ]);
});

test('control characters and halves of pairs are dropped and named', () => {
  const { characters, dropped } = planTyping('a\u0000\u0007\u{D83D}b\u007F', getScanCode);
  expect(characters).toHaveLength(2);
  expect(dropped).toEqual(['\u0000', '\u0007', '\u{D83D}', '\u007F']);
});

test('events have the size and the places that Windows expects', () => {
  const bytes = encodeInputs([
    { virtualKey: 0x41, scanCode: 0x1e, flags: UP },
    { dx: -3, dy: 70_000, data: -120, flags: 0x800 },
  ]);
  expect(bytes).toHaveLength(2 * INPUT_BYTES);
  expect([bytes.readUInt32LE(0), bytes.readUInt16LE(8), bytes.readUInt16LE(10), bytes.readUInt32LE(12)]).toEqual([
    1, 0x41, 0x1e, 2,
  ]);
  const mouse = bytes.subarray(INPUT_BYTES);
  expect([0, 8, 12, 16, 20].map((offset) => mouse.readInt32LE(offset))).toEqual([0, -3, 70_000, -120, 0x800]);
});

test('an absolute position is the first fraction that Windows rounds down to the pixel', () => {
  const screens = [
    { left: 0, top: 0, width: 1280, height: 800 },
    { left: -1920, top: -200, width: 1920 + 2560, height: 1640 },
    { left: 0, top: 0, width: 1366, height: 768 },
  ];
  for (const screen of screens)
    for (let x = screen.left; x < screen.left + screen.width; x++) {
      const { dx } = toAbsoluteMove(x, screen.top, screen);
      expect(Math.floor((dx * screen.width) / 65_536) + screen.left).toBe(x);
    }
});

test('names of keys have their virtual keys, and characters have none', () => {
  expect(getVirtualKey('a')).toEqual({ code: 0x41, isExtended: false });
  expect(getVirtualKey('7')).toEqual({ code: 0x37, isExtended: false });
  expect(getVirtualKey('F1')).toEqual({ code: 0x70, isExtended: false });
  expect(getVirtualKey('F24')).toEqual({ code: 0x87, isExtended: false });
  expect(getVirtualKey('KP_9')).toEqual({ code: 0x69, isExtended: false });
  expect(getVirtualKey('Left')).toEqual({ code: 0x25, isExtended: true });
  expect(['Enter', 'KP_Enter'].map(getVirtualKey)).toEqual([
    { code: 13, isExtended: false },
    { code: 13, isExtended: true },
  ]);
  expect(['+', 'ß', 'F25', 'F0', 'MicMute', 'constructor'].map(getVirtualKey)).toEqual(Array(6).fill(undefined));
  expect([0x25, 0x0d, 0x41].map(isExtendedKey)).toEqual([true, false, false]);
});

test('a character of the layout is a key with modifiers', () => {
  expect(parseKeyScan(0x0132)).toEqual({ code: 0x32, modifiers: ['Shift'] });
  expect(parseKeyScan(0x0651)).toEqual({ code: 0x51, modifiers: ['Ctrl', 'Alt'] });
  expect(parseKeyScan(-1)).toBeUndefined();
});

test('shortcuts that only a person can press are known', () => {
  expect(isReservedShortcut(['Alt', 'Ctrl', 'Del'])).toBe(true);
  expect(isReservedShortcut(['Gui', 'l'])).toBe(true);
  expect(isReservedShortcut(['Ctrl', 'Del'])).toBe(false);
  expect(isReservedShortcut(['Ctrl', 'Alt', 'F1'])).toBe(false);
});
