import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Crockford's base32: no letter that is taken for a digit. */
const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 10;

/** 50 bits, such as `K7Q2M-0XWZD`. */
export const generateSetupCode = (): string => {
  const letters = [...randomBytes(CODE_LENGTH)]
    .map((byte) => CODE_ALPHABET.charAt(byte % CODE_ALPHABET.length))
    .join('');
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
};

const plain = (code: string): string =>
  code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');

/** Whether a person meant this code: case, hyphens, spaces and letters that look like digits make no difference. */
export const matchesSetupCode = (typed: string, code: string): boolean =>
  timingSafeEqual(hash('sha256', plain(typed), 'buffer'), hash('sha256', plain(code), 'buffer'));
