/** Characters of the bytes 0x80 to 0x9F in windows-1252. They are control characters in Latin-1 (ISO 8859-1). */
const WINDOWS_1252_CHARACTERS = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index),
);

/** Returns the bytes of a text that was decoded as Latin-1 or windows-1252; undefined for any other text. */
function toLatinBytes(text: string): Uint8Array | undefined {
  const bytes = Array.from(text, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const index = code > 0xff ? WINDOWS_1252_CHARACTERS.indexOf(char) : -1;
    return index < 0 ? code : 0x80 + index;
  });
  return bytes.some((byte) => byte > 0xff) ? undefined : Uint8Array.from(bytes);
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** One text of a file, read with two charsets. */
interface TextReading {
  /** The text as music-metadata or ffprobe decoded it. */
  readonly text: string;
  /** The bytes of the text, one character for each (Latin-1). */
  readonly bytes: string;
  /** The bytes, decoded with the charset that is tested. */
  readonly decoded: string;
}

/** A charset that older programs wrote, and how to recognize it. */
interface Charset {
  /** Label for `TextDecoder`. */
  readonly name: string;
  /** Whether the text certainly has this charset. If so, the whole file has it. */
  readonly isCertain: (reading: TextReading) => boolean;
  /** Whether another text of such a file can have this charset too. */
  readonly isPossible: (reading: TextReading) => boolean;
}

/**
 * Punctuation after a letter at the end of a word that happens to be valid UTF-8: `CAFÉ’S`, `weiß…`, `été …`.
 * Real UTF-8 has such pairs after letters of the other case.
 */
const TRAILING_PUNCTUATION_PATTERN =
  /(?:(?<=[A-Z])[\xc6-\xde]|(?<=[a-z])\xdf)[\x80\x85\x91-\x97\x99\xa0\xa9\xae\xb7\xbb]|(?<=[a-z])[\xe0-\xef][\x85\x91-\x97\x99\xa0\xbb]{2}/g;

/** Bytes from 0x80 to 0x9F that are not quotes, dashes, dots or letters in windows-1252. */
const NOT_WESTERN_PATTERN = /[\x81-\x83\x88-\x89\x8d\x8f\x90\x98\x9d]/;
/** Japanese characters except half-width ones, which are accented capitals in Latin-1. */
const JAPANESE_PATTERN = /[\p{sc=Hira}\p{sc=Han}ァ-ヺ]/u;
const JAPANESE_WORD_PATTERN = /(?<![\p{L}\p{N}])[\p{sc=Hira}\p{sc=Han}ァ-ヺー]{2,}(?![\p{L}\p{N}])/u;
const LATIN_PATTERN = /[a-z\d]/i;
/** Latin letters next to characters of other scripts, and private characters. */
const TORN_WORD_PATTERN = /[a-z][^\0-\u{24f}]|[^\0-\u{24f}][a-z]|\p{Co}/iu;

/** Returns whether a text is Japanese. `Don\x92t` is not: it would have a Chinese character in the middle of a word. */
function isJapanese({ text, bytes, decoded }: TextReading): boolean {
  if (!/[\x80-\x9f]/.test(text) || !JAPANESE_PATTERN.test(decoded)) return false;
  return NOT_WESTERN_PATTERN.test(bytes) || JAPANESE_WORD_PATTERN.test(decoded) || !LATIN_PATTERN.test(decoded);
}

/** Returns whether an accented letter is next to a plain one, as in Latin words. */
const hasLatinWord = (bytes: string): boolean => /[a-z][\xc0-\xff]|[\xc0-\xff][a-z]/i.test(bytes);

/**
 * Returns whether a word has only accented letters, which no Latin language has.
 * Repeated letters and words of umlauts are exclamations, and do not count.
 */
const hasCyrillicWord = (bytes: string): boolean =>
  (bytes.match(/[\xc0-\xff]{4,}/g) ?? []).some(
    (word) => new Set(word.toLowerCase()).size >= 3 && !/^[\xc4\xd6\xdc\xdf\xe4\xf6\xfc]+$/.test(word),
  );

/** Returns whether bytes that are valid UTF-8 are meant as UTF-8. Letters before punctuation are not. */
const isUtf8 = ({ bytes }: TextReading): boolean => !isAscii(bytes.replaceAll(TRAILING_PUNCTUATION_PATTERN, ''));

/** Charsets in the order in which they are tested. */
const CHARSETS: readonly Charset[] = [
  { name: 'utf-8', isCertain: isUtf8, isPossible: isUtf8 },
  {
    // Shift JIS uses bytes from 0x80 to 0x9F, which are control characters in Latin-1.
    name: 'shift_jis',
    isCertain: isJapanese,
    isPossible: ({ text, decoded }) => /[\x80-\x9f]/.test(text) || !TORN_WORD_PATTERN.test(decoded),
  },
  {
    name: 'windows-1251',
    isCertain: ({ bytes }) => hasCyrillicWord(bytes) && !hasLatinWord(bytes),
    isPossible: ({ bytes }) => !hasLatinWord(bytes),
  },
];

/** Decodes the bytes of a text with another charset; undefined for ASCII, and for bytes that are invalid in it. */
function decodeAs(charset: string, text: string): TextReading | undefined {
  const bytes = isAscii(text) ? undefined : toLatinBytes(text);
  if (!bytes) return undefined;
  try {
    const decoded = new TextDecoder(charset, { fatal: true }).decode(bytes);
    return { text, bytes: Buffer.from(bytes).toString('latin1'), decoded };
  } catch {
    return undefined;
  }
}

/**
 * Creates a function that returns a repaired text of a file, whose texts are in another charset but labelled Latin-1.
 * The charset is detected by `texts`. A text that does not fit it is returned unchanged.
 */
export function createCharsetRepair(texts: readonly string[]): (text: string) => string {
  const charset = CHARSETS.find(({ name, isCertain }) =>
    texts.some((text) => {
      const reading = decodeAs(name, text);
      return reading !== undefined && isCertain(reading);
    }),
  );
  if (!charset) return (text) => text;
  return (text) => {
    const reading = decodeAs(charset.name, text);
    return reading && charset.isPossible(reading) ? reading.decoded : text;
  };
}
