import { fold } from '#platform/contract/fold.ts';

/** PostgreSQL keeps words of up to 2,046 bytes. */
const MAX_WORD_LENGTH = 200;

/** The words of a folded text, in order; very long ones are cut. */
export function wordsOf(folded: string): readonly string[] {
  return folded.match(/[\p{L}\p{N}\p{M}]+/gu)?.map((word) => word.slice(0, MAX_WORD_LENGTH)) ?? [];
}

/** More are left away: nobody means them. */
const MAX_TERMS = 20;

/** One of the things that all have to be found. */
export interface Term {
  /** Folded; found anywhere in a name. */
  readonly part: string;
  /** Its words, all of which a description has to hold; none where it is only signs. */
  readonly words: readonly string[];
}

/** What was typed, as terms: apart by white space, each once. What no kept text holds (U+0000, half a letter) holds them apart too. */
export function termsOf(text: string): readonly Term[] {
  return [
    ...new Set(
      fold(text.toWellFormed().replaceAll(/[\0\uFFFD]/gu, ' '))
        .split(/\s+/u)
        .filter(Boolean),
    ),
  ]
    .slice(0, MAX_TERMS)
    .map((part) => ({ part, words: [...new Set(wordsOf(part))] }));
}

const BEFORE = 40;
const LENGTH = 140;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Where the first of these words begins; 0 where none is there. */
const placeOf = (description: string, words: ReadonlySet<string>): number => {
  const folded = fold(description);
  // Mostly folding keeps the places of letters, and goes faster over the whole than word by word.
  const isAligned = folded.length === description.length;
  for (const { 0: word, index } of (isAligned ? folded : description).matchAll(WORD))
    if (isAligned ? words.has(word) : wordsOf(fold(word)).some((each) => words.has(each))) return index;
  return 0;
};

/** The piece of a description around the first of these words, on one line; its beginning where none is there. */
const pieceOf = (description: string, words: ReadonlySet<string>): string => {
  const at = placeOf(description, words);
  let from = Math.max(0, at - BEFORE);
  // Never in the middle of a word, and so of a letter.
  if (from > 0) from += /^\S*\s*/u.exec(description.slice(from, at))?.[0].length ?? 0;
  const piece = Array.from(description.slice(from, from + 2 * LENGTH))
    .slice(0, LENGTH)
    .join('');
  const until = from + piece.length;
  const line = piece.replaceAll(/\s+/gu, ' ').trim();
  return `${from > 0 ? '…' : ''}${line}${until < description.length ? '…' : ''}`;
};

/** Where a term is found in the description only: the piece around it. */
export function excerptOf(
  { name, description }: { readonly name: string; readonly description: string },
  terms: readonly Term[],
): string | undefined {
  const folded = fold(name);
  const missing = terms.filter(({ part }) => !folded.includes(part)).flatMap(({ words }) => words);
  return missing.length === 0 ? undefined : pieceOf(description, new Set(missing));
}
