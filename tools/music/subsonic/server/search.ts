import { foldSearch } from '#platform/contract/fold.ts';

/** Further words are ignored. */
const MAX_TERMS = 20;

export interface Query {
  /** The folded text with single spaces. */
  readonly text: string;
  /** Words that must all match, anywhere. An empty list matches everything. */
  readonly terms: readonly string[];
}

/** Parses a search. Players add quotes and trailing asterisks, which have no meaning here. */
export function parseQuery(input: string): Query {
  const terms = foldSearch(input.toWellFormed().replaceAll(/["*\0]/g, ' '))
    .split(/\s+/u)
    .filter(Boolean);
  return { text: terms.join(' '), terms: [...new Set(terms)].slice(0, MAX_TERMS) };
}

export interface SearchableItem {
  /** Folded name. */
  readonly sort: string;
  /** Folded search text, starting with the name. */
  readonly text: string;
}

/** Many texts joined into one string, because a search in one long string is much faster. */
interface Haystack {
  readonly text: string;
  /** Start of each text, and finally the start of a next one. */
  readonly starts: Uint32Array;
}

/** Joins texts with line breaks. Search words contain none, so no match spans two texts. */
function joinTexts(texts: readonly string[]): Haystack {
  const starts = new Uint32Array(texts.length + 1);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at += text.length + 1;
    starts[index + 1] = at;
  }
  return { text: texts.join('\n'), starts };
}

interface Haystacks {
  readonly names: Haystack;
  readonly texts: Haystack;
}
/** Cache: lists are searched many times before they change. */
const haystacksByList = new WeakMap<readonly SearchableItem[], Haystacks>();
function getHaystacks(all: readonly SearchableItem[]): Haystacks {
  const haystacks = haystacksByList.get(all) ?? {
    names: joinTexts(all.map(({ sort }) => sort)),
    texts: joinTexts(all.map(({ text }) => text)),
  };
  haystacksByList.set(all, haystacks);
  return haystacks;
}

/** Binary search: returns the first index for which `predicate` is false. */
function findFirstWithout(from: number, until: number, predicate: (index: number) => boolean): number {
  let [low, high] = [from, until];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (predicate(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the range of items whose names start with the text. */
function findPrefixRange(all: readonly SearchableItem[], prefix: string): readonly [from: number, until: number] {
  const sortAt = (index: number): string => all[index]?.sort ?? '';
  const from = findFirstWithout(0, all.length, (index) => sortAt(index) < prefix);
  return [from, findFirstWithout(from, all.length, (index) => sortAt(index).startsWith(prefix))];
}

/** Returns a function that finds the next occurrence of a word. Its positions must increase from call to call. */
function createWordFinder(text: string, word: string): (from: number) => number {
  let next = -1;
  return (from) => {
    if (next < from) next = text.indexOf(word, from);
    if (next < 0) next = Infinity;
    return next;
  };
}

/** Yields the indexes of texts that contain all words, in order. */
function* iterateMatches({ text, starts }: Haystack, words: readonly string[]): Generator<number> {
  const finders = words.map((word) => createWordFinder(text, word));
  for (let index = 0; index + 1 < starts.length;) {
    const from = starts[index] ?? 0;
    const furthest = Math.max(...finders.map((findNext) => findNext(from)));
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
 * Returns the best matches with all words: first exact names, then names that start with the text, names that contain
 * it, and items with all words anywhere. Equal matches keep their order.
 * @param all sorted by `sort`
 */
export function findMatches<T extends SearchableItem>(
  all: readonly T[],
  { text, terms }: Query,
  maxCount = Infinity,
): readonly T[] {
  if (terms.length === 0) return all.slice(0, maxCount);
  const [from, until] = findPrefixRange(all, text);
  const best = all.slice(from, Math.min(until, from + maxCount));
  function add(haystack: Haystack, words: readonly string[], canInclude: (item: T) => boolean): void {
    if (best.length >= maxCount) return;
    for (const index of iterateMatches(haystack, words)) {
      const item = all[index];
      const isIncluded = index >= from && index < until;
      if (item !== undefined && !isIncluded && canInclude(item)) best.push(item);
      if (best.length >= maxCount) return;
    }
  }
  const { names, texts } = getHaystacks(all);
  add(names, [text], () => true);
  add(texts, terms, ({ sort }) => !sort.includes(text));
  return best;
}
