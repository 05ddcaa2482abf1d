import { NEW_ITEM } from './list.ts';
import { sameName } from './suggest.ts';

/** A name to choose from. `from` are the lists that have it, 0 for the built-in ones. */
export interface GlobalItem {
  readonly name: string;
  readonly emoji: string;
  readonly from: readonly number[];
}

export interface UsedName {
  readonly name: string;
  readonly emoji: string;
  /** When an item was called so, in milliseconds since the epoch. */
  readonly time: number;
}

/** Names of one list made ready: each once, the latest first, by what people take for one name. */
export interface ListNames {
  readonly list: number;
  readonly names: ReadonlyMap<string, UsedName>;
}

/** As many names that were used are offered. */
const MAX_OFFERED_NAMES = 1000;

const NO_NAMES: ReadonlySet<string> = new Set(['', sameName(NEW_ITEM.name)]);

/** What nobody has named yet is no name. `used` has the latest first. */
export const listNames = (list: number, used: readonly UsedName[]): ListNames => {
  const names = new Map<string, UsedName>();
  for (const each of used) {
    const key = sameName(each.name);
    if (!NO_NAMES.has(key) && !names.has(key)) names.set(key, each);
  }
  return { list, names };
};

/** The next name of the list that has the latest one. */
const latestFirst = function* (lists: readonly ListNames[]): Generator<readonly [string, UsedName], void> {
  const heads = lists.flatMap(({ names }) => {
    const rest = names.entries();
    const first = rest.next();
    return first.done === true ? [] : [{ rest, head: first.value }];
  });
  while (heads.length > 0) {
    let latest = 0;
    for (let at = 1; at < heads.length; at += 1)
      if ((heads[at]?.head[1].time ?? 0) > (heads[latest]?.head[1].time ?? 0)) latest = at;
    const from = heads[latest];
    if (!from) return;
    yield from.head;
    const next = from.rest.next();
    if (next.done === true) heads.splice(latest, 1);
    else from.head = next.value;
  }
};

/** Names used, the latest first and each once, then those of the catalogue that are not among them. */
export const globalItems = (
  lists: readonly ListNames[],
  catalogue: readonly { readonly name: string; readonly emoji: string }[],
): readonly GlobalItem[] => {
  const found = new Map<string, GlobalItem>();
  for (const [key, { name, emoji }] of latestFirst(lists)) {
    if (found.size === MAX_OFFERED_NAMES) break;
    if (found.has(key)) continue;
    const from = lists.filter(({ names }) => names.has(key)).map(({ list }) => list);
    found.set(key, { name, emoji, from });
  }
  const builtIn = catalogue
    .filter(({ name }) => !found.has(sameName(name)))
    .map(({ name, emoji }) => ({ name, emoji, from: [0] }));
  return [...found.values(), ...builtIn];
};
