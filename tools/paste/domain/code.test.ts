import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeFrom, generateCode } from './paste.ts';

const codes = fc.infiniteStream(fc.nat(31)).map((dice) => generateCode(() => dice.next().value ?? 0));

test('a code has ten characters and no look-alikes', () => {
  fc.assert(
    fc.property(codes, (code) => {
      expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{10}$/);
    }),
  );
});

const spoiled = (code: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...Array.from(code, (sign) => {
        const alike = { 0: ['O', 'o'], 1: ['I', 'l', 'i', 'L'], v: ['u', 'U'] }[sign] ?? [];
        return fc
          .tuple(fc.constantFrom(sign, sign.toUpperCase(), ...alike), fc.constantFrom('', '', '', ' ', '-', '\u00a0'))
          .map(([one, gap]) => one + gap);
      }),
    )
    .map((signs) => signs.join(''));

test('parsing ignores case, spaces and dashes, and replaces look-alikes', () => {
  fc.assert(
    fc.property(
      codes.chain((code) => fc.tuple(fc.constant(code), spoiled(code))),
      ([code, typed]) => {
        expect(codeFrom(typed)).toBe(code);
      },
    ),
  );
});

test.each(['', '123456789', '12345678901', "'; drop--", '1234567890\0', 'ключключкл'])('%j is not a code', (typed) => {
  expect(codeFrom(typed)).toBeUndefined();
});
