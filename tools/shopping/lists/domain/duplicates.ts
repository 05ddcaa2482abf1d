import { addToAmount } from '../../sync/domain/listReducer.ts';
import { appendMeasure, splitMeasure } from './amounts.ts';
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
const OUTER_PUNCTUATION = /^(?:(?![%#&*@])\p{P}|\s)+|(?:(?![%#&*@])\p{P}|\s)+$/gu;

interface NameParts {
  /** The name without measure, case, accents, width, emoji and surrounding punctuation. */
  readonly thing: string;
  readonly measure: string | undefined;
}

function getNameParts(name: string): NameParts {
  const { name: nameWithoutMeasure, measure } = splitMeasure(name);
  const folded = fold(nameWithoutMeasure);
  const thing = folded.replaceAll(IGNORED_CHARACTERS, '').replaceAll(OUTER_PUNCTUATION, '').replaceAll(/\s+/gu, ' ');
  return { thing: thing || folded || name, measure: measure && fold(measure) };
}

/** Returns a key that is equal for names of the same thing, regardless of case, accents, width, emoji and measure. */
export function getThingKey(name: string): string {
  return getNameParts(name).thing;
}

/** Returns a key that is equal for names of the same thing with the same measure. */
export function getNameKey(name: string): string {
  const { thing, measure } = getNameParts(name);
  return measure === undefined ? thing : appendMeasure({ name: thing, measure });
}

/** Items are immutable, so the parts of unchanged ones are cached. */
const partsByItem = new WeakMap<Item, NameParts>();
function getItemParts(item: Item): NameParts {
  const parts = partsByItem.get(item) ?? getNameParts(item.name);
  partsByItem.set(item, parts);
  return parts;
}

type Entry = readonly [id: string, item: Item];
function groupEntries(entries: Iterable<Entry>, getKey: (item: Item) => string): readonly (readonly Entry[])[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(getKey(entry[1]));
    if (group) group.push(entry);
    else groups.set(getKey(entry[1]), [entry]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

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

/** Returns the amounts of an item. A checkbox counts as one piece, which is bought if it is ticked. */
const getAmounts = (item: Item): { readonly desired: number; readonly actual: number } =>
  isCheckbox(item.state) ? { desired: 1, actual: isDone(item) ? 1 : 0 } : item;

/** Merges two checkboxes: a question wins, and a tick needs both. */
function mergeStates(a: State, b: State): State {
  if (a === b) return a;
  return a === STATES.question || b === STATES.question ? STATES.question : STATES.cross;
}

/** Returns the remaining name, with the measure of the other name if it has none. */
function mergeNames(remaining: string, other: string): string {
  const { measure } = splitMeasure(other);
  const name =
    measure === undefined || splitMeasure(remaining).measure !== undefined
      ? remaining
      : appendMeasure({ name: remaining, measure });
  return Array.from(name).length > LIMITS.name ? remaining : name;
}

/** Merges two items of the same name: amounts are added, two checkboxes stay one, and nothing open becomes done. */
export function mergeItems(remaining: Item, other: Item): Item {
  const name = mergeNames(remaining.name, other.name);
  const emoji = remaining.emoji === NEW_ITEM.emoji || remaining.emoji === '' ? other.emoji : remaining.emoji;
  if (isCheckbox(remaining.state) && isCheckbox(other.state))
    return { ...remaining, name, emoji, state: mergeStates(remaining.state, other.state) };
  const [amounts, otherAmounts] = [getAmounts(remaining), getAmounts(other)];
  // A surplus of one item does not cover what is missing of the other.
  const isOpen = !isDone(remaining) || !isDone(other);
  const desired = addToAmount(amounts.desired, otherAmounts.desired);
  const actual = addToAmount(amounts.actual, otherAmounts.actual);
  return {
    name,
    emoji,
    desired:
      isOpen && actual >= desired
        ? addToAmount(actual, getMissingAmount(amounts) + getMissingAmount(otherAmounts))
        : desired,
    actual,
    state: STATES.counted,
  };
}
const getMissingAmount = ({ desired, actual }: { readonly desired: number; readonly actual: number }): number =>
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
  return existing.length < 2 ? undefined : existing.reduce(mergeItems);
}

/** Merges items of the same name into the first one, which gets the types of all. */
export function createMergeChanges(list: List, duplicate: Duplicate): readonly Change[] {
  const [remainingId = '', ...otherIds] = duplicate.ids.filter((id) => list.items.has(id));
  const remaining = list.items.get(remainingId);
  const merged = getMergedItem(list, duplicate);
  if (!remaining || !merged) return [];
  const types = new Set(otherIds.flatMap((id) => [...(list.links.get(id) ?? [])]));
  return [
    ...diffItems(remainingId, remaining, merged),
    ...[...types]
      .filter((type) => list.links.get(remainingId)?.has(type) !== true)
      .map((type): Change => ({ kind: 'link', item: remainingId, type, isLinked: true })),
    ...otherIds.map((id): Change => ({ kind: 'remove', thing: 'item', id })),
  ];
}
