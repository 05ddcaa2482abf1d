/** Returns characters that follow each other in Unicode, at a distance of `step`. */
export function createCharacters(first: number, count: number, step = 1): string {
  return Array.from({ length: count }, (_, index) => String.fromCodePoint(first + index * step)).join('');
}

export const ASCII = createCharacters(0x20, 95);
export const LATIN_1 = createCharacters(0xa1, 95);
/** Two hundred characters of English. */
export const PROSE = 'The quick brown fox jumps over the lazy dog. '.repeat(5).slice(0, 200);
/** More characters than any keyboard has. */
export const SIX_HUNDRED_CHARACTERS = createCharacters(0x4e00, 600);

/** Texts of many scripts that arrive exactly on every desktop, by their names. */
export const SAMPLE_TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['all of ASCII', ASCII],
  ['Latin-1', LATIN_1],
  ['accents and umlauts', 'Grüße, "мир" — 你好 👋 àéîõü ÀÉÎÕÜ ß €'],
  ['Greek and Cyrillic', 'αβγδε ΩΨ Привет, ёжик'],
  ['Chinese, Japanese and Korean', '你好世界 こんにちは 안녕하세요'],
  ['emoji with skin tones, families and flags', '👍🏽 👩‍👩‍👧 🇫🇷🇩🇪 ❤️ 𝑎'],
  ['combining marks', 'e\u0301 n\u0303 a\u0323\u0308'],
  ['newlines and tabs', 'a\tb\nc\n'],
  ['newlines between foreign characters', 'ä\nβ\n\nγ\t👋'],
  ['repeated characters', 'hooh aa ㄱㄱㄱ AAAaaa'],
  ['prose', PROSE],
];
