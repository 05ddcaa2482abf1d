/** What windows-1252 makes of 0x80 to 0x9F, beside the control characters that ISO 8859-1 has there. */
const HIGH = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, at) => 0x80 + at));

/** The bytes that a text was read from as Latin-1 or windows-1252; undefined where it has characters of neither. */
const latinBytes = (text: string): Uint8Array | undefined => {
  const bytes = Array.from(text, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    const at = code > 0xff ? HIGH.indexOf(sign) : -1;
    return at < 0 ? code : 0x80 + at;
  });
  return bytes.some((byte) => byte > 0xff) ? undefined : Uint8Array.from(bytes);
};

const isPlain = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** A text as it was read, its bytes as Latin-1, and what a charset makes of them. */
interface TextReading {
  readonly text: string;
  readonly bytes: string;
  readonly decoded: string;
}

interface Charset {
  readonly name: string;
  /** Whether such a text is of this charset for certain, and the file's other texts with it. */
  readonly shows: (reading: TextReading) => boolean;
  /** Whether another text of such a file is of it too. */
  readonly suits: (reading: TextReading) => boolean;
}

/**
 * Signs behind a letter at the end of a word that happen to be UTF-8: `CAFÉ’S`, `weiß…`, `été …`. UTF-8 of a language has such pairs behind
 * letters of the other case.
 */
const SIGNS_BEHIND =
  /(?:(?<=[A-Z])[\xc6-\xde]|(?<=[a-z])\xdf)[\x80\x85\x91-\x97\x99\xa0\xa9\xae\xb7\xbb]|(?<=[a-z])[\xe0-\xef][\x85\x91-\x97\x99\xa0\xbb]{2}/g;

/** Bytes from 0x80 to 0x9F that are no quotes, dashes, dots or letters in windows-1252. */
const NOT_WESTERN = /[\x81-\x83\x88-\x89\x8d\x8f\x90\x98\x9d]/;
/** A word of Japanese, half-width letters aside: Latin-1 has its accented capitals there. */
const JAPANESE = /[\p{sc=Hira}\p{sc=Han}ァ-ヺ]/u;
const JAPANESE_WORD = /(?<![\p{L}\p{N}])[\p{sc=Hira}\p{sc=Han}ァ-ヺー]{2,}(?![\p{L}\p{N}])/u;
const LATIN = /[a-z\d]/i;
/** Latin letters that have something else between or beside them. */
const TORN_WORD = /[a-z][^\0-\u{24f}]|[^\0-\u{24f}][a-z]|\p{Co}/iu;

/** `Don\x92t` is a Chinese character in the middle of a word, where nobody writes one. */
const isJapanese = ({ text, bytes, decoded }: TextReading): boolean => {
  if (!/[\x80-\x9f]/.test(text) || !JAPANESE.test(decoded)) return false;
  return NOT_WESTERN.test(bytes) || JAPANESE_WORD.test(decoded) || !LATIN.test(decoded);
};

const isLatinWord = (bytes: string): boolean => /[a-z][\xc0-\xff]|[\xc0-\xff][a-z]/i.test(bytes);

/** Whole words of letters with accents are of no language; one letter again and again, or umlauts alone, are a cry. */
const hasCyrillicWord = (bytes: string): boolean =>
  (bytes.match(/[\xc0-\xff]{4,}/g) ?? []).some(
    (word) => new Set(word.toLowerCase()).size >= 3 && !/^[\xc4\xd6\xdc\xdf\xe4\xf6\xfc]+$/.test(word),
  );

const isUtf8 = ({ bytes }: TextReading): boolean => !isPlain(bytes.replaceAll(SIGNS_BEHIND, ''));

const CHARSETS: readonly Charset[] = [
  { name: 'utf-8', shows: isUtf8, suits: isUtf8 },
  {
    // Japanese has bytes at 0x80 to 0x9F, which Latin-1 has no characters for.
    name: 'shift_jis',
    shows: isJapanese,
    suits: ({ text, decoded }) => /[\x80-\x9f]/.test(text) || !TORN_WORD.test(decoded),
  },
  {
    name: 'windows-1251',
    shows: ({ bytes }) => hasCyrillicWord(bytes) && !isLatinWord(bytes),
    suits: ({ bytes }) => !isLatinWord(bytes),
  },
];

const readingIn = (charset: string, text: string): TextReading | undefined => {
  const bytes = isPlain(text) ? undefined : latinBytes(text);
  if (!bytes) return undefined;
  try {
    const decoded = new TextDecoder(charset, { fatal: true }).decode(bytes);
    return { text, bytes: Buffer.from(bytes).toString('latin1'), decoded };
  } catch {
    return undefined;
  }
};

/**
 * How texts of one file are to be read: older programs wrote tags in the charset of their system and called it Latin-1.
 * A text that is not of the charset that another one of them shows stays as it is.
 */
export function createCharsetRepair(texts: readonly string[]): (text: string) => string {
  const charset = CHARSETS.find(({ name, shows }) =>
    texts.some((text) => {
      const reading = readingIn(name, text);
      return reading !== undefined && shows(reading);
    }),
  );
  if (!charset) return (text) => text;
  return (text) => {
    const reading = readingIn(charset.name, text);
    return reading && charset.suits(reading) ? reading.decoded : text;
  };
}
