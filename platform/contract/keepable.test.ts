import { expect, test } from 'vitest';
import { keepable } from './keepable.ts';

test('what both databases keep is well formed and has no U+0000', () => {
  expect(keepable('a\0\ud800b')).toBe('a\u{fffd}\u{fffd}b');
});
