/** PostgreSQL keeps words of up to 2,046 bytes. */
const MAX_WORD_LENGTH = 200;

/** The words of a folded text, in order; very long ones are cut. */
export const wordsOf = (folded: string): readonly string[] =>
  folded.match(/[\p{L}\p{N}\p{M}]+/gu)?.map((word) => word.slice(0, MAX_WORD_LENGTH)) ?? [];
