/** No I, L, O and U: read aloud or copied by hand they are taken for others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE_LENGTH = 8;
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0', U: 'V' };

/** A code of 40 bits that a person reads from one screen and enters on another. `random` gives an integer from 0 to below its argument. */
export const generateCode = (random: (below: number) => number): string =>
  Array.from({ length: CODE_LENGTH }, () => ALPHABET[random(ALPHABET.length)] ?? '').join('');

/** The code that a person meant: whatever the case, with or without blanks and hyphens, look-alikes taken for what they look like. */
export const foldCode = (entered: string): string =>
  entered
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .replaceAll(/[ILOU]/g, (letter) => LOOK_ALIKES[letter] ?? letter);
