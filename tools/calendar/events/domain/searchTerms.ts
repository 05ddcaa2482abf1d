import { fold } from '#platform/contract/fold.ts';

/** PostgreSQL stores words of up to 2,046 bytes. */
const MAX_WORD_LENGTH = 200;

const WORD_PATTERN = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns the words of a folded text, in order. Very long ones are cut. */
export function splitWords(folded: string): readonly string[] {
  return folded.match(WORD_PATTERN)?.map((word) => word.slice(0, MAX_WORD_LENGTH)) ?? [];
}

/** Further terms are ignored: no real search has so many. */
const MAX_TERMS = 20;

/** One part of a search. All parts must match. */
export interface SearchTerm {
  /** Folded. Matches anywhere in a name. */
  readonly part: string;
  /** Words of the part. A description must contain all of them. Empty if the part is only punctuation. */
  readonly words: readonly string[];
}

/** Splits a search into distinct terms, at white space and unusable characters (U+0000, lone surrogates). */
export function parseTerms(text: string): readonly SearchTerm[] {
  return [
    ...new Set(
      fold(text.toWellFormed().replaceAll(/[\0\uFFFD]/gu, ' '))
        .split(/\s+/u)
        .filter(Boolean),
    ),
  ]
    .slice(0, MAX_TERMS)
    .map((part) => ({ part, words: [...new Set(splitWords(part))] }));
}

/** Characters of an excerpt before the first match. */
const EXCERPT_LEAD_LENGTH = 40;
const MAX_EXCERPT_LENGTH = 140;

/** Returns the position of the first of these words, or 0. */
function findPosition(description: string, words: ReadonlySet<string>): number {
  const folded = fold(description);
  // Folding usually keeps the positions of letters. Searching the whole text is then faster than word by word.
  const isAligned = folded.length === description.length;
  for (const { 0: word, index } of (isAligned ? folded : description).matchAll(WORD_PATTERN))
    if (isAligned ? words.has(word) : splitWords(fold(word)).some((part) => words.has(part))) return index;
  return 0;
}

/** Returns one line of the description around the first of these words, or its beginning. */
function cutExcerpt(description: string, words: ReadonlySet<string>): string {
  const at = findPosition(description, words);
  let from = Math.max(0, at - EXCERPT_LEAD_LENGTH);
  // Never cut within a word, and so within a character.
  if (from > 0) from += /^\S*\s*/u.exec(description.slice(from, at))?.[0].length ?? 0;
  const excerpt = Array.from(description.slice(from, from + 2 * MAX_EXCERPT_LENGTH))
    .slice(0, MAX_EXCERPT_LENGTH)
    .join('');
  const until = from + excerpt.length;
  const line = excerpt.replaceAll(/\s+/gu, ' ').trim();
  return `${from > 0 ? '…' : ''}${line}${until < description.length ? '…' : ''}`;
}

/** Returns the text around a term that matches only in the description. */
export function findExcerpt(
  { name, description }: { readonly name: string; readonly description: string },
  terms: readonly SearchTerm[],
): string | undefined {
  const folded = fold(name);
  const missing = terms.filter(({ part }) => !folded.includes(part)).flatMap(({ words }) => words);
  return missing.length === 0 ? undefined : cutExcerpt(description, new Set(missing));
}
