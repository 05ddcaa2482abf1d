import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCode, generateCode } from './paste.ts';

const codes = fc.infiniteStream(fc.nat(31)).map((digits) => generateCode(() => digits.next().value ?? 0));

test('a code has ten characters and no look-alikes', () => {
  fc.assert(
    fc.property(codes, (code) => {
      expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{10}$/);
    }),
  );
});

/** The code as a person may type it. */
const createTypedCode = (code: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...Array.from(code, (character) => {
        const lookalikes = { 0: ['O', 'o'], 1: ['I', 'l', 'i', 'L'], v: ['u', 'U'] }[character] ?? [];
        return fc
          .tuple(
            fc.constantFrom(character, character.toUpperCase(), ...lookalikes),
            fc.constantFrom('', '', '', ' ', '-', '\u00a0'),
          )
          .map((parts) => parts.join(''));
      }),
    )
    .map((characters) => characters.join(''));

test('parsing ignores case, spaces and dashes, and replaces look-alikes', () => {
  fc.assert(
    fc.property(
      codes.chain((code) => fc.tuple(fc.constant(code), createTypedCode(code))),
      ([code, typed]) => {
        expect(parseCode(typed)).toBe(code);
      },
    ),
  );
});

test.each(['', '123456789', '12345678901', "'; drop--", '1234567890\0', 'ключключкл'])('%j is not a code', (typed) => {
  expect(parseCode(typed)).toBeUndefined();
});
