/** A title as it is kept: one line, without what is not seen or turns the writing round, each run of spaces one. */
export const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    // Joiners (U+200C, U+200D) belong to scripts and emoji.
    .replaceAll(/[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{200e}\u{200f}\u{feff}]/gu, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();

/** A title that nobody typed, as sites and files have them. Empty where nothing of it is left. */
export const cutTitle = (text: string, limit: number): string => {
  const title = oneLine(text);
  const signs = Array.from(title);
  return signs.length > limit
    ? `${signs
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
    : title;
};

/** Why a title is not taken; undefined where it is. `of` is what it is a title of. */
export const titleProblem = (title: string, of: 'playlist' | 'song', limit: number): string | undefined => {
  if (title === '') return `Give the ${of} a title`;
  const length = Array.from(title).length;
  return length > limit ? `The title is too long at ${length} characters, limit is ${limit}` : undefined;
};
