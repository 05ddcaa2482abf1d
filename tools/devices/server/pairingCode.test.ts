import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CODE_LENGTH, foldCode, generateCode } from './deviceHandlers.ts';

const code = fc.constant(null).map(() => generateCode((below) => randomInt(below)));

test('a code has eight characters and no look-alikes', () => {
  fc.assert(fc.property(code, (made) => /^[0-9A-HJKMNP-TV-Z]{8}$/.test(made)));
  expect(CODE_LENGTH).toBe(8);
});

test('parsing ignores case, spaces and dashes', () => {
  const habits = fc.record({ lower: fc.boolean(), between: fc.constantFrom('', ' ', '-', ' – ', '\u00a0') });
  fc.assert(
    fc.property(code, habits, fc.nat({ max: 8 }), (made, { lower, between }, at) => {
      const written = ` ${made.slice(0, at)}${between}${made.slice(at)} `;
      expect(foldCode(lower ? written.toLowerCase() : written)).toBe(made);
    }),
  );
});

test('look-alikes are replaced', () => {
  expect(foldCode('oO0-iIlL1-uUvV')).toBe('00011111VVVV');
  expect(foldCode('ＡＢＣ１２３')).toBe('ABC123');
});
