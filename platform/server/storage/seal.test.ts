import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeal } from './seal.ts';

const seal = createSeal(randomBytes(32));

test('a sealed text opens only with its key and context, and reveals nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 4 }), fc.string(), fc.string(), (text, context, other) => {
      const sealed = seal.seal(text, context);
      expect(seal.open(sealed, context)).toBe(text);
      expect(Buffer.from(sealed, 'base64url').includes(text)).toBe(false);
      expect(seal.seal(text, context)).not.toBe(sealed);
      expect(createSeal(randomBytes(32)).open(sealed, context)).toBeUndefined();
      if (other !== context) expect(seal.open(sealed, other)).toBeUndefined();
    }),
  );
});

test('a text that is changed, cut or invented does not open', () => {
  const sealed = Buffer.from(seal.seal('7K3M-0000', '1'), 'base64url');
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(seal.open(changed.toString('base64url'), '1')).toBeUndefined();
    expect(seal.open(sealed.subarray(0, at).toString('base64url'), '1')).toBeUndefined();
  }
  for (const text of ['', 'x', '😀', 'A'.repeat(100)]) expect(seal.open(text, '1')).toBeUndefined();
});
