import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateRecoveryCodes, normalizeRecoveryCode } from './recoveryCodes.ts';
import { isTotpCode } from './totp.ts';

test('there are ten different codes of four groups', () => {
  const codes = generateRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
});

test('case, groups and similar letters make no difference', () => {
  for (const code of generateRecoveryCodes()) {
    const normalized = normalizeRecoveryCode(code);
    const typed = code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
    expect(normalizeRecoveryCode(typed)).toBe(normalized);
  }
});

test('normalizing again changes nothing, and no text is both kinds of code', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('0', '1', '9', 'A', 'O', 'I', 'L', 'U', 'Z', 'a', 'z', '-', ' '),
        maxLength: 30,
      }),
      (typed) => {
        const normalized = normalizeRecoveryCode(typed);
        if (normalized === undefined) return;
        expect(normalizeRecoveryCode(normalized)).toBe(normalized);
        expect(isTotpCode(typed)).toBe(false);
      },
    ),
  );
});
