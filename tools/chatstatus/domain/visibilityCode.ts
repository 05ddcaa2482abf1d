/** 32 letters and digits that are hard to confuse, so a code of 16 has 80 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;
const GROUP = /.{4}(?=.)/g;
/** Characters that people read or type in place of the ones above. */
const LOOKALIKES: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1', U: 'V' };

const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** Generates a visibility code. `random(below)` returns a whole number from 0 to `below` - 1. */
export function generateCode(random: (below: number) => number): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(random(ALPHABET.length))).join('');
}

/** Formats a code in groups, such as 'K7QF-2MWD-9XB0-T3HC'. */
export function formatCode(code: string): string {
  return code.replaceAll(GROUP, '$&-');
}

/** Parses a typed code. Ignores case, lookalikes, blanks and hyphens. Returns undefined for anything else. */
export function codeFrom(typed: string): string | undefined {
  const code = typed
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '')
    .replaceAll(/[OILU]/g, (sign) => LOOKALIKES[sign] ?? sign);
  return CODE.test(code) ? code : undefined;
}
