import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDigest } from './digest.ts';

test('a file has the same digest, no matter how it is split', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), (pieces) => {
      const digest = createDigest();
      for (const piece of pieces) digest.add(piece);
      expect(digest.end()).toBe(createHash('sha256').update(Buffer.concat(pieces)).digest('hex'));
    }),
  );
});

test('lengths around a block, where the padding needs another one, are correct', () => {
  for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128]) {
    const bytes = new Uint8Array(length).fill(length);
    const digest = createDigest();
    digest.add(bytes);
    expect(digest.end()).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});
