import { expect, test } from 'vitest';
import { formatSize } from './formats.ts';

test.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 KiB'],
  [1.55 * 1024 ** 2, '1.5 MiB'],
  [499.9 * 1024 ** 2, '500 MiB'],
  [2 * 1024 ** 3, '2 GiB'],
  [3 * 1024 ** 5, '3072 TiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
