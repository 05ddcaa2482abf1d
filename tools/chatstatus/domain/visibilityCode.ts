/** 32 letters and digits that are hard to confuse, so a code of 16 has 80 bits. */
const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 16;
const GROUP_PATTERN = /.{4}(?=.)/g;
/** Characters that people read or type in place of the ones above. */
const LOOKALIKES: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1', U: 'V' };

const CODE_PATTERN = new RegExp(`^[${CODE_ALPHABET}]{${CODE_LENGTH}}$`);

/** Generates a visibility code. `random(max)` returns a whole number from 0 to `max` - 1. */
export function generateCode(random: (max: number) => number): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET.charAt(random(CODE_ALPHABET.length))).join('');
}

/** Formats a code in groups, such as 'K7QF-2MWD-9XB0-T3HC'. */
export function formatCode(code: string): string {
  return code.replaceAll(GROUP_PATTERN, '$&-');
}

/** Parses a typed code. Ignores case, lookalikes, blanks and hyphens. Returns undefined for anything else. */
export function parseCode(text: string): string | undefined {
  const code = text
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '')
    .replaceAll(/[OILU]/g, (sign) => LOOKALIKES[sign] ?? sign);
  return CODE_PATTERN.test(code) ? code : undefined;
}
