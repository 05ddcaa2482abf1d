import { expect, test } from 'vitest';
import { replaceUnstorable } from './text.ts';

test('what both databases keep is well formed and has no U+0000', () => {
  expect(replaceUnstorable('a\0\ud800b')).toBe('a\u{fffd}\u{fffd}b');
});
