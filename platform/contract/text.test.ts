import { expect, test } from 'vitest';
import { replaceUnstorable } from './text.ts';

test('a storable text is well formed and contains no U+0000', () => {
  expect(replaceUnstorable('a\0\ud800b')).toBe('a\u{fffd}\u{fffd}b');
});
