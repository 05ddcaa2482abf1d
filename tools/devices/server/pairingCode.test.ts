import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CODE_LENGTH, normalizeCode, generateCode } from './deviceHandlers.ts';

const code = fc.constant(null).map(() => generateCode((max) => randomInt(max)));

test('a code has eight characters and no look-alikes', () => {
  fc.assert(fc.property(code, (generated) => /^[0-9A-HJKMNP-TV-Z]{8}$/.test(generated)));
  expect(CODE_LENGTH).toBe(8);
});

test('parsing ignores case, spaces and dashes', () => {
  const notation = fc.record({ isLowerCase: fc.boolean(), separator: fc.constantFrom('', ' ', '-', ' – ', '\u00a0') });
  fc.assert(
    fc.property(code, notation, fc.nat({ max: 8 }), (generated, { isLowerCase, separator }, index) => {
      const typed = ` ${generated.slice(0, index)}${separator}${generated.slice(index)} `;
      expect(normalizeCode(isLowerCase ? typed.toLowerCase() : typed)).toBe(generated);
    }),
  );
});

test('marks that come along when a code is copied are ignored', () => {
  for (const typed of ['"ABCD-EFGH"', '‹ABCD EFGH›', 'ABCD.EFGH.', 'ABCD_EFGH', '\u200bABCDEFGH\ufeff', '`ABCD—EFGH`'])
    expect(normalizeCode(typed)).toBe('ABCDEFGH');
});

test('look-alikes are replaced', () => {
  expect(normalizeCode('oO0-iIlL1-uUvV')).toBe('00011111VVVV');
  expect(normalizeCode('ＡＢＣ１２３')).toBe('ABC123');
});
