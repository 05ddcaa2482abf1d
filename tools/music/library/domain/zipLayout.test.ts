import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeZipLayout, type StoredFile } from './zipLayout.ts';

const MODIFIED = Temporal.Instant.from('2026-11-23T04:05:06Z').epochMilliseconds;
/** The format ends with the year 2107. */
const LATE = Temporal.Instant.from('2200-01-01T00:00:00Z').epochMilliseconds;

const partSizes = (files: readonly StoredFile[]): number =>
  computeZipLayout(files).parts.reduce<number>(
    (sum, part) => sum + (typeof part === 'number' ? (files[part]?.size ?? 0) : part.length),
    0,
  );

const file = fc.record({
  name: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
  size: fc.oneof(fc.nat(), fc.integer({ min: 0xfffffffe, max: 2 ** 40 })),
  crc: fc.integer({ min: 0, max: 0xffffffff }),
  modified: fc.integer({ min: 0, max: LATE }),
});

/** Reads the offsets of the files from the directory of a zip, including zip64. Independent of the code under test. */
function readOffsets(directory: Uint8Array, count: number): readonly number[] {
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength);
  const offsets: number[] = [];
  for (let at = 0, left = count; left > 0; left -= 1) {
    const [name, extra] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
    const plain = view.getUint32(at + 42, true);
    const isLarge = view.getUint32(at + 24, true) === 0xffffffff;
    const large = at + 46 + name + 4 + (isLarge ? 16 : 0);
    offsets.push(plain === 0xffffffff ? Number(view.getBigUint64(large, true)) : plain);
    at += 46 + name + extra;
  }
  return offsets;
}

test('the directory contains the offset of each file’s header, no matter how large they are', () => {
  fc.assert(
    fc.property(fc.array(file, { maxLength: 12 }), (files) => {
      const { parts, directory } = computeZipLayout(files);
      const starts: number[] = [];
      let at = 0;
      for (const part of parts) {
        if (typeof part === 'number') at += files[part]?.size ?? 0;
        else {
          if (starts.length < files.length) starts.push(at);
          at += part.length;
        }
      }
      expect(readOffsets(directory, files.length)).toEqual(starts);
      expect(partSizes(files)).toBe(at);
    }),
  );
});

test('equal files make equal zips, and another name, size, checksum or time makes another one', () => {
  const one = { name: '01 One.mp3', size: 1000, crc: 77, modified: MODIFIED };
  const of = (fields: Partial<StoredFile> = {}) => computeZipLayout([{ ...one, ...fields }]).directory;
  expect(of()).toEqual(of());
  for (const other of [{ name: '01 Two.mp3' }, { size: 1001 }, { crc: 78 }, { modified: MODIFIED + 2000 }])
    expect(of(other)).not.toEqual(of());
});

test('the layout of a very large library is computed', () => {
  const files = Array.from({ length: 20_000 }, (_, at) => ({ name: `${at}`, size: 1, crc: 0, modified: MODIFIED }));
  expect(computeZipLayout(files).parts).toHaveLength(40_002);
});
