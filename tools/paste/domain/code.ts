/** Letters and digits that nobody mistakes for one another; 32, so that ten of them are 50 bits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 10;
/** What is written or read in place of them. */
const LOOKALIKES: Readonly<Record<string, string>> = { o: '0', i: '1', l: '1', u: 'v' };

const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** `random(below)` gives a whole number from 0. */
export const makeCode = (random: (below: number) => number): string =>
  Array.from({ length: LENGTH }, () => ALPHABET.charAt(random(ALPHABET.length))).join('');

/** The code that somebody typed: case, look-alikes, blanks and hyphens do not count. Undefined where it is none. */
export const codeFrom = (typed: string): string | undefined => {
  const code = typed
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '')
    .replaceAll(/[oilu]/g, (sign) => LOOKALIKES[sign] ?? sign);
  return CODE.test(code) ? code : undefined;
};
