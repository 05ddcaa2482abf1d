import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CODE_LENGTH, foldCode, generateCode } from './deviceHandlers.ts';

const code = fc.constant(null).map(() => generateCode((below) => randomInt(below)));

test('a code has eight characters and no look-alikes', () => {
  fc.assert(fc.property(code, (generated) => /^[0-9A-HJKMNP-TV-Z]{8}$/.test(generated)));
  expect(CODE_LENGTH).toBe(8);
});

test('parsing ignores case, spaces and dashes', () => {
  const habits = fc.record({ lower: fc.boolean(), between: fc.constantFrom('', ' ', '-', ' – ', '\u00a0') });
  fc.assert(
    fc.property(code, habits, fc.nat({ max: 8 }), (generated, { lower, between }, index) => {
      const typed = ` ${generated.slice(0, index)}${between}${generated.slice(index)} `;
      expect(foldCode(lower ? typed.toLowerCase() : typed)).toBe(generated);
    }),
  );
});

test('look-alikes are replaced', () => {
  expect(foldCode('oO0-iIlL1-uUvV')).toBe('00011111VVVV');
  expect(foldCode('ＡＢＣ１２３')).toBe('ABC123');
});
