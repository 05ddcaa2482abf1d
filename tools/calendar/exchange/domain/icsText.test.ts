import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeIcsText } from './icsText.ts';

const encodeUtf8 = (text: string): number[] => [...new TextEncoder().encode(text)];
const createFile = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? encodeUtf8(part) : part)));

test('a line folded inside a character is decoded correctly', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\r\n\0\ufeff]/.test(text)),
      fc.nat(),
      fc.constantFrom([13, 10, 32], [10, 32], [13, 10, 9], [10, 9]),
      (text, place, fold) => {
        const bytes = encodeUtf8(`SUMMARY:${text}`);
        const at = 8 + (place % Math.max(1, bytes.length - 8));
        const folded = decodeIcsText(createFile(bytes.slice(0, at), fold, bytes.slice(at), '\r\nLOCATION:Größe ✓\r\n'));
        expect(folded.replaceAll(/\r?\n[ \t]/g, '')).toBe(`SUMMARY:${text}\r\nLOCATION:Größe ✓\r\n`);
      },
    ),
  );
});

test('an invalid byte only damages its own line', () => {
  expect(decodeIcsText(createFile('A:Größe\r\nB:caf', [0xe9], ' bar\r\nC:über ', [0xff], ' ✓\r\nD:日本\n'))).toBe(
    'A:Größe\r\nB:café bar\r\nC:über \ufffd ✓\r\nD:日本\n',
  );
  // Cut off inside a character at the end of a line that is not folded.
  expect(decodeIcsText(createFile('A:ü', [0xe2, 0x82], '\nB:Größe\n'))).toBe('A:ü\ufffd\nB:Größe\n');
});

test.each<readonly [string, Uint8Array, string]>([
  [
    'windows-1252',
    createFile('A:Gr', [0xf6, 0xdf], 'e ', [0x80], '\r\nB:', [0xfc], 'ber\r\n'),
    'A:Größe €\r\nB:über\r\n',
  ],
  ['UTF-8 with a mark', createFile([0xef, 0xbb, 0xbf], 'A:ö\n'), 'A:ö\n'],
  ['UTF-8 with a mark and a bad byte', createFile([0xef, 0xbb, 0xbf], 'A:ö', [0xff], '\nB:ü\n'), 'A:ö\ufffd\nB:ü\n'],
  ['UTF-16 with a mark', Uint8Array.from([0xff, 0xfe, ...Buffer.from('A:ö\r\n', 'utf16le')]), 'A:ö\r\n'],
  ['UTF-16 without one', Uint8Array.from(Buffer.from('BEGIN:ö\r\n', 'utf16le')), 'BEGIN:ö\r\n'],
  ['big-endian UTF-16 without one', Uint8Array.from(Buffer.from('BEGIN:ö\r\n', 'utf16le').swap16()), 'BEGIN:ö\r\n'],
  ['line ends of old Macs', createFile('A:ö\rB:ü\r'), 'A:ö\nB:ü\n'],
  ['line ends of old Macs but for the last one', createFile('A:ö\rB:ü\r\n'), 'A:ö\nB:ü\r\n'],
  ['line ends that were written twice', createFile('A:ö\r\r\n ö\r\r\nB:ü\r\n'), 'A:ö\r\n ö\r\nB:ü\r\n'],
  [
    'lines with some ends of old Macs, and one in a text',
    createFile('A:ö\rB;C=1:ü\r or\r\nD:x\n'),
    'A:ö\nB;C=1:ü\r or\r\nD:x\n',
  ],
  ['nothing', createFile(), ''],
])('a file in %s is read', (_, bytes, text) => {
  expect(decodeIcsText(bytes)).toBe(text);
});

test.each([
  ['CR CR LF', [13, 13, 10]],
  ['a CR', [13]],
])('a line that ends with %s may be folded inside a character', (_name, end) => {
  const file = createFile('A:x', [0xf0, 0x9f], end, [32, 0x98, 0x80], 'z', end, 'B:y', end);
  expect(
    decodeIcsText(file)
      .replaceAll(/\r?\n[ \t]/g, '')
      .replaceAll('\r', ''),
  ).toBe('A:x😀z\nB:y\n');
});

test('in a file with line ends of old Macs, an invalid byte only damages its own line', () => {
  expect(decodeIcsText(createFile('A:Größe\rB:caf', [0xe9], ' bar\rC:日本\r'))).toBe('A:Größe\nB:café bar\nC:日本\n');
});
