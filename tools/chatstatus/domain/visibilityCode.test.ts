import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCode, generateCode, formatCode } from './visibilityCode.ts';

const codes = fc.infiniteStream(fc.nat(31)).map((dice) => generateCode(() => dice.next().value ?? 0));

test('a code has 16 unambiguous characters and is shown in groups of four', () => {
  fc.assert(
    fc.property(codes, (code) => {
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{16}$/);
      expect(formatCode(code)).toMatch(/^(.{4}-){3}.{4}$/);
    }),
  );
});

test('a code is accepted as shown, in any case, with blanks and with lookalikes', () => {
  fc.assert(
    fc.property(codes, (code) => {
      const typed = ` ${formatCode(code).toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('v', 'u')}\u00a0`;
      expect(parseCode(typed)).toBe(code);
      expect(parseCode(formatCode(code))).toBe(code);
    }),
  );
});

test.each(['', 'K7QF', 'K7QF-2MWD-9XB0-T3HC-1', "'; drop--", 'ключключключключ'])('%j is not a code', (typed) => {
  expect(parseCode(typed)).toBeUndefined();
});
