import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { findMemoryFolder, findOtherDisk } from './temporary.ts';

test('memory is not used for more than fits into it', () => {
  expect(findMemoryFolder(2 ** 60)).toBeUndefined();
});

test('the other disk is not the one of temporary files', () => {
  const other = findOtherDisk();
  if (other !== undefined) expect(statSync(other).dev).not.toBe(statSync(tmpdir()).dev);
});
