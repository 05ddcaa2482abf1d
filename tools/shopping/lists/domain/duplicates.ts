import { counted } from '../../sync/domain/applyChanges.ts';
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

/** Items of one list with the same name, in the list's order. */
export interface Duplicate {
  readonly name: string;
  readonly ids: readonly string[];
}

/** Emoji, and punctuation around a name; signs that mean something, such as %, stay. */
const IGNORED_CHARACTERS = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]/gu;
const AROUND = /^(?:(?![%#&*@])\p{P}|\s)+|(?:(?![%#&*@])\p{P}|\s)+$/gu;

interface NameParts {
  /** Without its measure, case, accents, width, emoji and the punctuation around it. */
  readonly thing: string;
  readonly measure: string | undefined;
}

const partsOf = (name: string): NameParts => {
  const { name: bare, measure } = splitMeasure(name);
  const folded = fold(bare);
  const thing = folded.replaceAll(IGNORED_CHARACTERS, '').replaceAll(AROUND, '').replaceAll(/\s+/gu, ' ');
  return { thing: thing || folded || name, measure: measure && fold(measure) };
};

/** What makes two names one thing, however much of it: case, accents, width, emoji and measures are left out. */
export function thingKey(name: string): string {
  return partsOf(name).thing;
}

/** What makes two names one: the same thing with the same measure. */
export function nameKey(name: string): string {
  const { thing, measure } = partsOf(name);
  return measure === undefined ? thing : nameWithMeasure({ name: thing, measure });
}

/** Items don't change, new ones take their place: of two thousand only the changed one is taken apart again. */
const partsByItem = new WeakMap<Item, NameParts>();
const partsOfItem = (item: Item): NameParts => {
  const known = partsByItem.get(item) ?? partsOf(item.name);
  partsByItem.set(item, known);
  return known;
};

type Entry = readonly [id: string, item: Item];
const grouped = (entries: Iterable<Entry>, keyOf: (item: Item) => string): readonly (readonly Entry[])[] => {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry[1]));
    if (group) group.push(entry);
    else groups.set(keyOf(entry[1]), [entry]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
};

/** Names that several items of the list have. Items with different measures are not doubles. */
export function duplicatesIn({ items }: List): readonly Duplicate[] {
  return grouped(items, (item) => partsOfItem(item).thing)
    .flatMap((group) => {
      const measures = new Set(group.flatMap(([, item]) => partsOfItem(item).measure ?? []));
      return measures.size < 2 ? [group] : grouped(group, (item) => partsOfItem(item).measure ?? '');
    })
    .map((group) => ({ name: nameOf(items, group[0]?.[0]), ids: group.map(([id]) => id) }));
}
const nameOf = (items: List['items'], id = ''): string => items.get(id)?.name ?? '';

/** An item's amounts; a checkbox is one piece, which a tick has. */
const amountsOf = (item: Item): { readonly desired: number; readonly actual: number } =>
  isCheckbox(item.state) ? { desired: 1, actual: isDone(item) ? 1 : 0 } : item;

/** The answer of two checkboxes: a question stays open longest, a tick counts only where both have it. */
const answerOf = (one: State, other: State): State => {
  if (one === other) return one;
  return one === STATES.question || other === STATES.question ? STATES.question : STATES.cross;
};

/** The measure of one that has none comes from the other. */
const nameOfBoth = (kept: string, other: string): string => {
  const { measure } = splitMeasure(other);
  const name =
    measure === undefined || splitMeasure(kept).measure !== undefined ? kept : nameWithMeasure({ name: kept, measure });
  return Array.from(name).length > LIMITS.name ? kept : name;
};

/** One item of two with the same name: amounts are added up, two checkboxes stay one, and nothing open counts as done. */
export function addUp(kept: Item, other: Item): Item {
  const name = nameOfBoth(kept.name, other.name);
  const emoji = kept.emoji === NEW_ITEM.emoji || kept.emoji === '' ? other.emoji : kept.emoji;
  if (isCheckbox(kept.state) && isCheckbox(other.state))
    return { ...kept, name, emoji, state: answerOf(kept.state, other.state) };
  const [one, two] = [amountsOf(kept), amountsOf(other)];
  // More than was wanted of the one does not stand for what is missing of the other.
  const isOpen = !isDone(kept) || !isDone(other);
  const desired = counted(one.desired, two.desired);
  const actual = counted(one.actual, two.actual);
  return {
    name,
    emoji,
    desired: isOpen && actual >= desired ? counted(actual, missing(one) + missing(two)) : desired,
    actual,
    state: STATES.counted,
  };
}
const missing = ({ desired, actual }: { readonly desired: number; readonly actual: number }): number =>
  Math.max(0, desired - actual);

/** What makes the item `to` of `from`; what others count meanwhile stays. */
export function itemDifference(id: string, from: Item, to: Item): readonly Change[] {
  return ITEM_FIELDS.flatMap((field): readonly Change[] => {
    if (from[field] === to[field]) return [];
    if (field === 'actual') return [{ kind: 'count', id, by: to.actual - from.actual }];
    return [{ kind: 'item', id, field, value: to[field] }];
  });
}

/** The one item that these would make together; undefined where they are not two. */
export function itemOf({ items }: List, { ids }: Duplicate): Item | undefined {
  const there = ids.flatMap((id) => items.get(id) ?? []);
  return there.length < 2 ? undefined : there.reduce(addUp);
}

/** Makes one item of those with the same name: the first one stays, with the types of all. */
export function mergeChanges(list: List, duplicate: Duplicate): readonly Change[] {
  const [keptId = '', ...others] = duplicate.ids.filter((id) => list.items.has(id));
  const kept = list.items.get(keptId);
  const sum = itemOf(list, duplicate);
  if (!kept || !sum) return [];
  const types = new Set(others.flatMap((id) => [...(list.links.get(id) ?? [])]));
  return [
    ...itemDifference(keptId, kept, sum),
    ...[...types]
      .filter((type) => list.links.get(keptId)?.has(type) !== true)
      .map((type): Change => ({ kind: 'link', item: keptId, type, isLinked: true })),
    ...others.map((id): Change => ({ kind: 'remove', thing: 'item', id })),
  ];
}
