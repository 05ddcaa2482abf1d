import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { findMemoryFolder, findOtherDisk } from './temporary.ts';

test('memory is no place for more than it has room for', () => {
  expect(findMemoryFolder(2 ** 60)).toBeUndefined();
});

test('the other disk is none of temporary files', () => {
  const other = findOtherDisk();
  if (other !== undefined) expect(statSync(other).dev).not.toBe(statSync(tmpdir()).dev);
});
