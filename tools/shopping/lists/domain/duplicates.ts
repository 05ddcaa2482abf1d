import { addToAmount } from '../../sync/domain/listReducer.ts';
import { nameWithMeasure, splitMeasure } from './amounts.ts';
import { fold } from './itemNames.ts';
import {
  ITEM_FIELDS,
  LIMITS,
  NEW_ITEM,
  STATES,
  type Change,
  type Item,
  type List,
  type State,
  isCheckbox,
  isDone,
} from './list.ts';

/** Items of one list with the same name, in the order of the list. */
export interface Duplicate {
  readonly name: string;
  readonly ids: readonly string[];
}

/** Ignored in comparisons: emoji, and punctuation around a name. Meaningful characters such as % count. */
const IGNORED_CHARACTERS = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]/gu;
const AROUND = /^(?:(?![%#&*@])\p{P}|\s)+|(?:(?![%#&*@])\p{P}|\s)+$/gu;

interface NameParts {
  /** The name without measure, case, accents, width, emoji and surrounding punctuation. */
  readonly thing: string;
  readonly measure: string | undefined;
}

const getNameParts = (name: string): NameParts => {
  const { name: bare, measure } = splitMeasure(name);
  const folded = fold(bare);
  const thing = folded.replaceAll(IGNORED_CHARACTERS, '').replaceAll(AROUND, '').replaceAll(/\s+/gu, ' ');
  return { thing: thing || folded || name, measure: measure && fold(measure) };
};

/** Returns a key that is equal for names of the same thing, regardless of case, accents, width, emoji and measure. */
export function thingKey(name: string): string {
  return getNameParts(name).thing;
}

/** Returns a key that is equal for names of the same thing with the same measure. */
export function nameKey(name: string): string {
  const { thing, measure } = getNameParts(name);
  return measure === undefined ? thing : nameWithMeasure({ name: thing, measure });
}

/** Items are immutable, so the parts of unchanged ones are cached. */
const partsByItem = new WeakMap<Item, NameParts>();
const getItemParts = (item: Item): NameParts => {
  const parts = partsByItem.get(item) ?? getNameParts(item.name);
  partsByItem.set(item, parts);
  return parts;
};

type Entry = readonly [id: string, item: Item];
const groupEntries = (entries: Iterable<Entry>, getKey: (item: Item) => string): readonly (readonly Entry[])[] => {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(getKey(entry[1]));
    if (group) group.push(entry);
    else groups.set(getKey(entry[1]), [entry]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
};

/** Finds names that several items share. Items with different measures are not duplicates. */
export function findDuplicates({ items }: List): readonly Duplicate[] {
  return groupEntries(items, (item) => getItemParts(item).thing)
    .flatMap((group) => {
      const measures = new Set(group.flatMap(([, item]) => getItemParts(item).measure ?? []));
      return measures.size < 2 ? [group] : groupEntries(group, (item) => getItemParts(item).measure ?? '');
    })
    .map((group) => ({ name: getName(items, group[0]?.[0]), ids: group.map(([id]) => id) }));
}
const getName = (items: List['items'], id = ''): string => items.get(id)?.name ?? '';

/** Returns the amounts of an item; a checkbox counts as one piece, which is there if ticked. */
const getAmounts = (item: Item): { readonly desired: number; readonly actual: number } =>
  isCheckbox(item.state) ? { desired: 1, actual: isDone(item) ? 1 : 0 } : item;

/** Merges two checkboxes: a question wins, and a tick needs both. */
const mergeStates = (one: State, other: State): State => {
  if (one === other) return one;
  return one === STATES.question || other === STATES.question ? STATES.question : STATES.cross;
};

/** Returns the remaining name, with the measure of the other one if it has none. */
const mergeNames = (remaining: string, other: string): string => {
  const { measure } = splitMeasure(other);
  const name =
    measure === undefined || splitMeasure(remaining).measure !== undefined
      ? remaining
      : nameWithMeasure({ name: remaining, measure });
  return Array.from(name).length > LIMITS.name ? remaining : name;
};

/** Merges two items of the same name: amounts are added, two checkboxes stay one, and nothing open becomes done. */
export function addUp(remaining: Item, other: Item): Item {
  const name = mergeNames(remaining.name, other.name);
  const emoji = remaining.emoji === NEW_ITEM.emoji || remaining.emoji === '' ? other.emoji : remaining.emoji;
  if (isCheckbox(remaining.state) && isCheckbox(other.state))
    return { ...remaining, name, emoji, state: mergeStates(remaining.state, other.state) };
  const [one, two] = [getAmounts(remaining), getAmounts(other)];
  // A surplus of one item does not cover what is missing of the other.
  const isOpen = !isDone(remaining) || !isDone(other);
  const desired = addToAmount(one.desired, two.desired);
  const actual = addToAmount(one.actual, two.actual);
  return {
    name,
    emoji,
    desired: isOpen && actual >= desired ? addToAmount(actual, missing(one) + missing(two)) : desired,
    actual,
    state: STATES.counted,
  };
}
const missing = ({ desired, actual }: { readonly desired: number; readonly actual: number }): number =>
  Math.max(0, desired - actual);

/** Returns the changes from one version of an item to another; counters change by difference. */
export function diffItems(id: string, from: Item, to: Item): readonly Change[] {
  return ITEM_FIELDS.flatMap((field): readonly Change[] => {
    if (from[field] === to[field]) return [];
    if (field === 'actual') return [{ kind: 'count', id, by: to.actual - from.actual }];
    return [{ kind: 'item', id, field, value: to[field] }];
  });
}

/** Returns the merged item; undefined if fewer than two exist. */
export function getMergedItem({ items }: List, { ids }: Duplicate): Item | undefined {
  const existing = ids.flatMap((id) => items.get(id) ?? []);
  return existing.length < 2 ? undefined : existing.reduce(addUp);
}

/** Merges items of the same name into the first one, which gets the types of all. */
export function mergeChanges(list: List, duplicate: Duplicate): readonly Change[] {
  const [keptId = '', ...others] = duplicate.ids.filter((id) => list.items.has(id));
  const remaining = list.items.get(keptId);
  const sum = getMergedItem(list, duplicate);
  if (!remaining || !sum) return [];
  const types = new Set(others.flatMap((id) => [...(list.links.get(id) ?? [])]));
  return [
    ...diffItems(keptId, remaining, sum),
    ...[...types]
      .filter((type) => list.links.get(keptId)?.has(type) !== true)
      .map((type): Change => ({ kind: 'link', item: keptId, type, isLinked: true })),
    ...others.map((id): Change => ({ kind: 'remove', thing: 'item', id })),
  ];
}
