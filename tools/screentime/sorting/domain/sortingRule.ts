import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import { checkCategoryName, quoted } from './category.ts';

/** `pattern` is part of an application's name, whatever its case; `*` stands for any text. The first rule that fits counts. */
export interface Rule {
  readonly pattern: string;
  readonly category: string;
}

const ANY = '*';

/** Letters that are the same but for their case are the same in capitals (ß and SS, σ and ς). */
const caseless = (text: string): string => text.toUpperCase();

/** @throws Refusal for a rule that is none. */
export const checkedRule = ({ pattern, category }: Rule): Rule => {
  const tidy = pattern.trim();
  if (tidy === '') throw new Refusal('A rule needs a part of a name');
  if (replaceUnstorable(tidy) !== tidy)
    throw new Refusal(`The pattern ${quoted(tidy)} has characters that cannot be kept`);
  if (category !== UNASSIGNED) checkCategoryName(category);
  return { pattern: tidy, category };
};

/** A text to look for, with what makes the search linear (Knuth, Morris and Pratt): how far to fall back at each place. */
interface SearchPattern {
  readonly text: string;
  readonly fallback: readonly number[];
}

const pieceOf = (text: string): SearchPattern => {
  const fallback = [0];
  for (let at = 1, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text[at] !== text[matched]) matched = fallback[matched - 1] ?? 0;
    if (text[at] === text[matched]) matched += 1;
    fallback.push(matched);
  }
  return { text, fallback };
};

/** Where the piece first ends in `name` from `from` on; -1 where it is not there. */
const endOf = ({ text, fallback }: SearchPattern, name: string, from: number): number => {
  for (let at = from, matched = 0; at < name.length; at += 1) {
    while (matched > 0 && name[at] !== text[matched]) matched = fallback[matched - 1] ?? 0;
    if (name[at] === text[matched]) matched += 1;
    if (matched === text.length) return at + 1;
  }
  return -1;
};

/** Pieces stand one behind another: each is taken where it first ends, so nothing is ever tried twice. */
const fits = (pieces: readonly SearchPattern[], name: string): boolean => {
  let at = 0;
  for (const piece of pieces) {
    at = endOf(piece, name, at);
    if (at < 0) return false;
  }
  return true;
};

/** Gives the category that the rules have for a name; undefined where none fits. Its time grows with the lengths of name and rules, whatever stands in them. */
export const createSorter = (rules: readonly Rule[]): ((name: string) => string | undefined) => {
  const compiled = rules.map(({ pattern, category }) => ({
    category,
    pieces: caseless(pattern)
      .split(ANY)
      .filter((piece) => piece !== '')
      .map(pieceOf),
  }));
  return (name) => {
    const folded = caseless(name);
    return compiled.find(({ pieces }) => fits(pieces, folded))?.category;
  };
};
