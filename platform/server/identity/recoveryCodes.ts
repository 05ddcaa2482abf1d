import { randomInt } from 'node:crypto';

/** Crockford's base32: without I, L, O and U, to avoid similar characters and accidental words. */
const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 16;
const GROUP_LENGTH = 4;
const CODE_COUNT = 10;

/** Generates 80 random bits as four groups of four: `7K3M-…`. With so many, a fast hash is enough to store them. */
const generateRecoveryCode = (): string =>
  Array.from({ length: CODE_LENGTH }, (_, index) => {
    const letter = CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length));
    return index > 0 && index % GROUP_LENGTH === 0 ? `-${letter}` : letter;
  }).join('');

/** Generates ten recovery codes. */
export function generateRecoveryCodes(): readonly string[] {
  return Array.from({ length: CODE_COUNT }, generateRecoveryCode);
}

/**
 * Returns the form that is hashed, or undefined for a text that is no recovery code. Groups, case and letters that look
 * like digits make no difference.
 */
export function normalizeRecoveryCode(typed: string): string | undefined {
  if (typed.length > 100) return undefined;
  const plain = typed.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(plain) ? plain : undefined;
}
