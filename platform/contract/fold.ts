/** Letters without a decomposition, and the ones that people type for them. */
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

/** Most texts: nothing but their case changes, and the rest of the work is a hundred times as much. */
const ASCII = /^[ -~]*$/;

/**
 * A text without case, accents, ligatures and character width. Hashes of it are stored as ids (artists and albums of
 * players), so its results never change; search uses `fold`.
 */
export function foldLetters(text: string): string {
  return ASCII.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replaceAll(/\p{Mn}/gu, '')
        .toLowerCase()
        .replaceAll(/\p{Mn}/gu, '')
        .replaceAll(/[ßæœøđðłþıς]/gu, (letter) => LETTERS[letter] ?? letter);
}

/** Accents that stand alone: they are typed as apostrophes, and decomposing would make spaces of them. */
const LONE_ACCENTS = /[\u00b4\u02bd\u0384\u1fbd\u1fbf\u1fef\u1ffd\u1ffe]/gu;

const SIGNS: readonly (readonly [RegExp, string])[] = [
  // Joiners, bidirectional marks, soft hyphens, enclosing marks, the Arabic tatweel: not seen, or not a letter.
  [/[\p{Cf}\p{Me}\u0640\ufffc]/gu, ''],
  [/[\u00ab\u00bb\u201c-\u201f\u275d\u275e\u2760\u301d-\u301f\u300c-\u300f\u05f4\u02ba\u02ee\u3003]/gu, '"'],
  [/[`\u2018-\u201b\u2039\u203a\u02b9\u02bb\u02bc\u02be\u02bf\u02c8\u02ca\u02cb\u05f3\u275b\u275c\ua78b\ua78c]/gu, "'"],
  // Two and three single primes are what decomposing makes of the others.
  [/[\u2032\u2035]{2}/gu, '"'],
  [/[\u2032\u2035]/gu, "'"],
  [/[\p{Pd}\u2212\u2043\u02d7\u06d4]/gu, '-'],
  [/[\u2044\u2215\u29f8]/gu, '/'],
  [/\p{Zs}/gu, ' '],
];

/** More letters without a decomposition; what is stored by `foldLetters` does not know them. */
const MORE_LETTERS: Readonly<Record<string, string>> = {
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ĸ: 'k',
  ƀ: 'b',
  ǥ: 'g',
  ɨ: 'i',
  ƶ: 'z',
  ǝ: 'e',
  ƒ: 'f',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  '×': 'x',
};

/**
 * A text as search compares it: without case, accents, ligatures and character width, with plain quotes, dashes and
 * spaces. The same on every database. The calendar stores its results: whoever changes it adds a migration there.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replaceAll('`', "'");
  let folded = foldLetters(text.replaceAll(LONE_ACCENTS, "'"));
  for (const [signs, plain] of SIGNS) folded = folded.replaceAll(signs, plain);
  return folded.replaceAll(/[ħŧŋĸƀǥɨƶǝƒٱىیکة×]/gu, (letter) => MORE_LETTERS[letter] ?? letter);
}

/** As `fold`, and without apostrophes, which people leave out ("dont"). For searches that find parts of words. */
export function foldSearch(text: string): string {
  return fold(text).replaceAll("'", '');
}

/**
 * A name as it is compared with what is typed: as `fold` has it, with one space where there are several, and found in capitals in any
 * alphabet (some letters are several as capitals: ᾳ is ΑΙ). For comparing at once, not for keeping.
 */
export function foldName(text: string): string {
  return fold(text.toUpperCase()).replaceAll(/\s+/gu, ' ').trim();
}
