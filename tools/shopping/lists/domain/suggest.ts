import { foldName } from '#platform/contract/fold.ts';

export { foldName as fold };

/** Names that people take for one: case and spaces at the ends are nothing to them, accents are. */
export const sameName = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();

/** A name that may be chosen, as `globalitems` has it. */
export interface KnownName {
  readonly name: string;
  readonly emoji: string;
}

/** As the specification says. */
const MAX_SUGGESTIONS = 5;

/** Known names, made ready once for many keystrokes. */
export interface Names<T extends KnownName> {
  readonly entries: readonly { readonly known: T; readonly folded: string; readonly same: string }[];
  readonly bySame: ReadonlyMap<string, T>;
  readonly byFold: ReadonlyMap<string, T>;
}

/** `known` has the one used last first; of names that differ in case alone the first is kept. */
export const namesOf = <T extends KnownName>(known: readonly T[]): Names<T> => {
  const bySame = new Map<string, T>();
  const byFold = new Map<string, T>();
  const entries: { known: T; folded: string; same: string }[] = [];
  for (const each of known) {
    const [same, folded] = [sameName(each.name), foldName(each.name)];
    if (same === '' || bySame.has(same)) continue;
    bySame.set(same, each);
    if (!byFold.has(folded)) byFold.set(folded, each);
    entries.push({ known: each, folded, same });
  }
  return { entries, bySame, byFold };
};

/** The known item of exactly this name, whatever its case. With accents left out only where no name is written as typed. */
export const exactly = <T extends KnownName>(names: Names<T>, typed: string): T | undefined => {
  const same = sameName(typed);
  if (same === '') return undefined;
  return names.bySame.get(same) ?? names.byFold.get(foldName(typed));
};

const WORD = /[\p{L}\p{N}]/u;

/** 0 the whole name, 1 from the beginning of a word, 2 somewhere within, nothing where it is not in it. */
const rankOf = (folded: string, part: string): 0 | 1 | 2 | undefined => {
  if (folded === part) return 0;
  let at = folded.indexOf(part);
  if (at === -1) return undefined;
  for (; at !== -1; at = folded.indexOf(part, at + 1)) if (at === 0 || !WORD.test(folded[at - 1] ?? '')) return 1;
  return 2;
};

interface NameSets {
  readonly same: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
}

/** Made once for each list of names: a list of a thousand is asked at every stroke. */
const made = new WeakMap<readonly string[], NameSets>();
const setsOf = (names: readonly string[]): NameSets => {
  const known = made.get(names) ?? { same: new Set(names.map(sameName)), folded: new Set(names.map(foldName)) };
  made.set(names, known);
  return known;
};

/**
 * What to offer while a name is typed: at most five names that hold what was typed, in any case and without accents, none that `others`
 * (the names of the list's other items) has. The whole name first, then where a word begins with it, then the rest; among equals the one
 * used last. For an empty field the names used last.
 */
export const suggest = <T extends KnownName>(
  names: Names<T>,
  typed: string,
  others: readonly string[],
): readonly T[] => {
  const part = foldName(typed);
  const inList = setsOf(others).same;
  const found: [T[], T[], T[]] = [[], [], []];
  for (const { known, folded, same } of names.entries) {
    const rank = rankOf(folded, part);
    if (rank !== undefined && !inList.has(same)) found[rank].push(known);
  }
  return found.flat().slice(0, MAX_SUGGESTIONS);
};

/**
 * What Enter and Tab take: the first suggestion. Nothing in an empty field, which both must be able to leave, and nothing where what was
 * typed is a whole name, known or in the list, with or without its accents: who typed 'Milk' to its end does not mean 'Milk chocolate'.
 */
export const taken = <T extends KnownName>(
  names: Names<T>,
  typed: string,
  others: readonly string[],
): T | undefined => {
  const folded = foldName(typed);
  if (sameName(typed) === '') return undefined;
  const [first] = suggest(names, typed, others);
  const isWhole = names.byFold.has(folded) || setsOf(others).folded.has(folded);
  return isWhole && (!first || foldName(first.name) !== folded) ? undefined : first;
};
