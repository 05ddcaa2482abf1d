import { foldSearch } from '#platform/contract/fold.ts';

/** More are left away: nobody means them. */
const MAX_TERMS = 20;

export interface Query {
  /** All of it, folded, with one blank where there are several. */
  readonly whole: string;
  /** Each has to be found, anywhere. None finds everything. */
  readonly terms: readonly string[];
}

/** What was typed. Players put quotes around it, or stars behind its words, which mean nothing here. */
export function queryOf(typed: string): Query {
  const terms = foldSearch(typed.toWellFormed().replaceAll(/["*\0]/g, ' '))
    .split(/\s+/u)
    .filter(Boolean);
  return { whole: terms.join(' '), terms: [...new Set(terms)].slice(0, MAX_TERMS) };
}

export interface SearchableItem {
  /** What it is called, folded. */
  readonly sort: string;
  /** All that it may be found by, folded: its name first. */
  readonly text: string;
}

/** Many texts as one, in which the machine looks for a word much faster than in each by itself. */
interface Haystack {
  readonly text: string;
  /** Where each begins, and where one more would. */
  readonly starts: Uint32Array;
}

/** A line each: what is sought has no line break in it, so it is not found across two. */
const haystackOf = (texts: readonly string[]): Haystack => {
  const starts = new Uint32Array(texts.length + 1);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at += text.length + 1;
    starts[index + 1] = at;
  }
  return { text: texts.join('\n'), starts };
};

interface Haystacks {
  readonly names: Haystack;
  readonly texts: Haystack;
}
/** Lists are searched many times before they change. */
const known = new WeakMap<readonly SearchableItem[], Haystacks>();
const haystacksOf = (all: readonly SearchableItem[]): Haystacks => {
  const made = known.get(all) ?? {
    names: haystackOf(all.map(({ sort }) => sort)),
    texts: haystackOf(all.map(({ text }) => text)),
  };
  known.set(all, made);
  return made;
};

/** The first place from `from` on for which it does not hold, where it holds for all before that. */
const firstWithout = (from: number, until: number, holds: (index: number) => boolean): number => {
  let [low, high] = [from, until];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Where those stand that are called just so, or whose names begin so. */
const begunBy = (all: readonly SearchableItem[], whole: string): readonly [from: number, until: number] => {
  const sortAt = (index: number): string => all[index]?.sort ?? '';
  const from = firstWithout(0, all.length, (index) => sortAt(index) < whole);
  return [from, firstWithout(from, all.length, (index) => sortAt(index).startsWith(whole))];
};

/** Tells where a text has a word next, from a place on; the places asked for only go up. */
const seeking = (text: string, word: string): ((from: number) => number) => {
  let next = -1;
  return (from) => {
    if (next < from) next = text.indexOf(word, from);
    if (next < 0) next = Infinity;
    return next;
  };
};

/** Places, in order, of those that have all words. */
function* having({ text, starts }: Haystack, words: readonly string[]): Generator<number> {
  const nexts = words.map((word) => seeking(text, word));
  for (let index = 0; index + 1 < starts.length;) {
    const from = starts[index] ?? 0;
    const furthest = Math.max(...nexts.map((next) => next(from)));
    if (furthest === Infinity) return;
    const before = index;
    while ((starts[index + 1] ?? Infinity) <= furthest) index += 1;
    if (index === before) {
      yield index;
      index += 1;
    }
  }
}

/**
 * The best of those that have all words, at most so many: first what is called just so, what begins so, what has it within, and what has all
 * its words somewhere; among equals in the order given.
 * @param all By `sort`.
 */
export function found<T extends SearchableItem>(
  all: readonly T[],
  { whole, terms }: Query,
  most = Infinity,
): readonly T[] {
  if (terms.length === 0) return all.slice(0, most);
  const [from, until] = begunBy(all, whole);
  const best = all.slice(from, Math.min(until, from + most));
  const add = (haystack: Haystack, words: readonly string[], isFor: (one: T) => boolean): void => {
    if (best.length >= most) return;
    for (const index of having(haystack, words)) {
      const one = all[index];
      const isThere = index >= from && index < until;
      if (one !== undefined && !isThere && isFor(one)) best.push(one);
      if (best.length >= most) return;
    }
  };
  const { names, texts } = haystacksOf(all);
  add(names, [whole], () => true);
  add(texts, terms, ({ sort }) => !sort.includes(whole));
  return best;
}
