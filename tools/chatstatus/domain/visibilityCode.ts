/** Letters and digits that nobody mistakes for one another; 32, so that sixteen of them are 80 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;
const GROUP = /.{4}(?=.)/g;
/** What is written or read in place of them. */
const LOOKALIKES: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1', U: 'V' };

const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** `random(below)` gives a whole number from 0. */
export function generateCode(random: (below: number) => number): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(random(ALPHABET.length))).join('');
}

/** As people read it: 'K7QF-2MWD-9XB0-T3HC'. */
export function shownCode(code: string): string {
  return code.replaceAll(GROUP, '$&-');
}

/** The code that somebody typed: case, look-alikes, blanks and hyphens do not count. Undefined where it is none. */
export function codeFrom(typed: string): string | undefined {
  const code = typed
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '')
    .replaceAll(/[OILU]/g, (sign) => LOOKALIKES[sign] ?? sign);
  return CODE.test(code) ? code : undefined;
}
