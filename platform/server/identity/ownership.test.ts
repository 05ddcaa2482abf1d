import { expect, test } from 'vitest';
import { matchesSetupCode, generateSetupCode } from './ownership.ts';

test('a setup code has 50 bits in unambiguous characters', () => {
  const codes = new Set(Array.from({ length: 200 }, generateSetupCode));
  expect(codes.size).toBe(200);
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
});

test('a setup code matches however it is typed', () => {
  expect(matchesSetupCode('k7q2m 0xwzd', 'K7Q2M-0XWZD')).toBe(true);
  expect(matchesSetupCode('K7Q2MOXWZD', 'K7Q2M-0XWZD')).toBe(true);
  expect(matchesSetupCode('K7Q2M-0XWZE', 'K7Q2M-0XWZD')).toBe(false);
  expect(matchesSetupCode('', 'K7Q2M-0XWZD')).toBe(false);
});
