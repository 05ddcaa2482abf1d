/** Letters without a decomposition, and what people type for them. */
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

/** Matches most texts. Only their case changes, and full folding takes a hundred times as long. */
const ASCII = /^[ -~]*$/;

/**
 * Removes case, accents, ligatures and character width. Ids of players' artists and albums are stored hashes of the
 * result, so it must never change. Search uses `fold`.
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

/** Accents without a letter. People type apostrophes for them, and decomposition would turn them into spaces. */
const LONE_ACCENTS = /[\u00b4\u02bd\u0384\u1fbd\u1fbf\u1fef\u1ffd\u1ffe]/gu;

const SIGNS: readonly (readonly [RegExp, string])[] = [
  // Joiners, bidirectional marks, soft hyphens, enclosing marks and the Arabic tatweel are invisible or no letters.
  [/[\p{Cf}\p{Me}\u0640\ufffc]/gu, ''],
  [/[\u00ab\u00bb\u201c-\u201f\u275d\u275e\u2760\u301d-\u301f\u300c-\u300f\u05f4\u02ba\u02ee\u3003]/gu, '"'],
  [/[`\u2018-\u201b\u2039\u203a\u02b9\u02bb\u02bc\u02be\u02bf\u02c8\u02ca\u02cb\u05f3\u275b\u275c\ua78b\ua78c]/gu, "'"],
  // Decomposition turns the other primes into two or three of these.
  [/[\u2032\u2035]{2}/gu, '"'],
  [/[\u2032\u2035]/gu, "'"],
  [/[\p{Pd}\u2212\u2043\u02d7\u06d4]/gu, '-'],
  [/[\u2044\u2215\u29f8]/gu, '/'],
  [/\p{Zs}/gu, ' '],
];

/** More letters without a decomposition. `foldLetters` can't include them, because its results are stored. */
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
 * Normalizes a text for search: no case, accents, ligatures or character width; plain quotes, dashes and spaces. Tools
 * store results, so a change here needs migrations there.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replaceAll('`', "'");
  let folded = foldLetters(text.replaceAll(LONE_ACCENTS, "'"));
  for (const [signs, plain] of SIGNS) folded = folded.replaceAll(signs, plain);
  return folded.replaceAll(/[ħŧŋĸƀǥɨƶǝƒٱىیکة×]/gu, (letter) => MORE_LETTERS[letter] ?? letter);
}

/** Like `fold`, but also removes apostrophes, which people leave out ("dont"). For searches for parts of words. */
export function foldSearch(text: string): string {
  return fold(text).replaceAll("'", '');
}

/**
 * Normalizes a name for comparison with typed text: like `fold`, with single spaces, and equal to its capitals in any
 * alphabet (ᾳ is ΑΙ). Don't store the result.
 */
export function foldName(text: string): string {
  return fold(text.toUpperCase()).replaceAll(/\s+/gu, ' ').trim();
}
