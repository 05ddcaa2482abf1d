import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePercent } from '#platform/contract/text.ts';
import {
  computeTotp,
  decodeBase32,
  encodeBase32,
  findTotpStep,
  formatTotpUri,
  generateTotpSecret,
  getTotpStep,
} from './totp.ts';

/** Secret of the test vectors for SHA-1. */
const RFC_SECRET = Buffer.from('12345678901234567890');

// RFC 6238, appendix B.
test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at second %d is that of RFC 6238', (seconds, code) => {
  const step = getTotpStep(seconds * 1000);
  expect(computeTotp(RFC_SECRET, step, 8)).toBe(code);
  expect(computeTotp(RFC_SECRET, step)).toBe(code.slice(2));
});

// RFC 4648, section 10.
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of %j is that of RFC 4648', (text, encoded) => {
  expect(encodeBase32(Buffer.from(text))).toBe(encoded);
});

const anySecret = fc.uint8Array({ minLength: 1, maxLength: 40 });
const anyTime = fc.integer({ min: 60_000, max: 4_000_000_000_000 });

test('decoding base32 restores every secret', () => {
  fc.assert(
    fc.property(anySecret, (secret) => {
      expect(decodeBase32(encodeBase32(secret))).toEqual(secret);
    }),
  );
});

test('a code is found for its own step and the two next to it, and for no other', () => {
  fc.assert(
    fc.property(anySecret, anyTime, fc.integer({ min: -5, max: 5 }), (secret, now, distance) => {
      const step = getTotpStep(now) + distance;
      fc.pre(step >= 0);
      const code = computeTotp(secret, step);
      const nearCodes = [-1, 0, 1].map((near) => computeTotp(secret, getTotpStep(now) + near));
      const found = findTotpStep(encodeBase32(secret), code, now);
      // Codes of different steps are equal by chance once in a million.
      expect(found !== undefined).toBe(nearCodes.includes(code));
      if (Math.abs(distance) <= 1) expect(computeTotp(secret, found ?? -1)).toBe(code);
    }),
  );
});

test.each(['', '12345', '1234567', '12345a', '١٢٣٤٥٦', '-12345'])('%j is no code', (text) => {
  expect(findTotpStep(generateTotpSecret(), text, Date.now())).toBeUndefined();
});

test('the text of the QR code names server and account, and escapes them', () => {
  const uri = formatTotpUri({ secret: 'MZXW6YTB', username: 'Zoë & co?', host: 'pegboard.example' });
  const { protocol: scheme, pathname, searchParams } = new URL(uri);
  expect([scheme, decodePercent(pathname)]).toEqual(['otpauth:', '/Pegboard:Zoë & co?@pegboard.example']);
  expect(Object.fromEntries(searchParams)).toEqual({
    secret: 'MZXW6YTB',
    issuer: 'Pegboard',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
