/** Letters that are no others with an accent, and are written with these all the same. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

/**
 * What search compares: without case, accents and other ways to write the same letter. The same on every database. Its results are kept
 * (the calendar's search has them in its tables): whoever makes it answer otherwise writes those anew.
 */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/[ßæœøđðłþıς]/gu, (letter) => LETTERS[letter] ?? letter);

/**
 * A name as it is compared with what is typed: as `fold` has it, with one space where there are several, and found in capitals in any
 * alphabet (some letters are several as capitals: ᾳ is ΑΙ). For comparing at once, not for keeping.
 */
export const foldName = (text: string): string => fold(text.toUpperCase()).replaceAll(/\s+/gu, ' ').trim();
