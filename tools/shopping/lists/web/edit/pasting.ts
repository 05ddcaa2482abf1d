import { createStep, createUndoStep } from '#tools/shopping/sync/domain/inverse.ts';
import { nameWithoutMeasure } from '../../domain/amounts.ts';
import { addUp, diffItems, nameKey, thingKey } from '../../domain/duplicates.ts';
import { findExact, type KnownName, type Names } from '../../domain/itemNames.ts';
import { LIMITS, NEW_ITEM, type Change, type Item, type List } from '../../domain/list.ts';
import { readLines, type UnparsedLine } from '../../domain/pastedLines.ts';
import { itemChanges } from './itemChanges.ts';

/** A line as the item that it would become. */
export interface PastedLine {
  /** Index among the parsed lines; with `name` it identifies the line while the text changes. */
  readonly key: string;
  readonly item: Item;
  /** Types that an item of this name had last. */
  readonly types: readonly string[];
  /** Where the same name already is: in the list, or in an earlier line. */
  readonly again: 'list' | 'text' | undefined;
}

export interface PasteResult {
  readonly lines: readonly PastedLine[];
  readonly left: readonly UnparsedLine[];
}

interface PasteAround {
  readonly list: List;
  readonly names: Names<KnownName>;
  readonly typesHad: (name: string) => readonly string[];
  /** A new item that takes the first line; its own name is ignored as a duplicate. */
  readonly into: string | undefined;
}

/** Returns the types of this exact name, otherwise those of the same thing with any measure. */
const findFormerTypes = (name: string, typesHad: PasteAround['typesHad']): readonly string[] => {
  const own = typesHad(name);
  return own.length > 0 ? own : typesHad(nameWithoutMeasure(name));
};

/** Previews what a pasted text would add. */
export function readPasted(text: string, { list, names, typesHad, into }: PasteAround): PasteResult {
  const own = into !== undefined && list.items.has(into) ? into : undefined;
  const others = [...list.items].filter(([id]) => id !== own);
  const inList = new Set(others.map(([, { name }]) => thingKey(name)));
  const room = LIMITS.items - others.length;
  const { items, left } = readLines(text, { findEmoji: (name) => findExact(names, name)?.emoji, room });
  const inText = new Map<string, number>();
  const measuresByName = new Map<string, Set<string>>();
  const lines = items.map((item): PastedLine => {
    const same = nameKey(item.name);
    const thing = thingKey(item.name);
    const count = inText.get(same) ?? 0;
    inText.set(same, count + 1);
    // 'Flour' and '500 g flour' are duplicates; '500 g flour' and '200 g flour' are not.
    const before = measuresByName.get(thing) ?? new Set();
    const isInText = before.has(same) || before.has(thing) || (same === thing && before.size > 0);
    measuresByName.set(thing, before.add(same));
    return {
      key: `${same} ${count}`,
      item,
      types: findFormerTypes(item.name, typesHad),
      again: inList.has(thing) ? 'list' : isInText ? 'text' : undefined,
    };
  });
  return { lines, left };
}

interface Sum {
  readonly id: string;
  /** The item in the list; undefined for a new item. */
  readonly from: Item | undefined;
  to: Item;
  readonly types: Set<string>;
}

/** Creates items from these lines; `into` becomes the first one. Duplicates are added to the existing item. */
export function createPasteChanges(
  lines: readonly PastedLine[],
  { list, newId, into }: { readonly list: List; readonly newId: () => string; readonly into: string | undefined },
): {
  readonly changes: readonly Change[];
  readonly ids: readonly string[];
  /** Returns the changes that undo it in the current list. */
  readonly back: (now: List) => readonly Change[];
} {
  const fresh = into === undefined ? undefined : list.items.get(into);
  let own = fresh?.name === NEW_ITEM.name ? into : undefined;
  const sums = new Map<string, Sum>();
  for (const [id, item] of list.items)
    if (id !== own && !sums.has(nameKey(item.name)))
      sums.set(nameKey(item.name), { id, from: item, to: item, types: new Set() });
  for (const { item, types } of lines) {
    const sum = sums.get(nameKey(item.name));
    if (sum) {
      sum.to = addUp(sum.to, item);
      for (const type of types) sum.types.add(type);
    } else {
      sums.set(nameKey(item.name), { id: own ?? newId(), from: undefined, to: item, types: new Set(types) });
      own = undefined;
    }
  }
  const all = [...sums.values()];
  const newItems = all.filter(({ from }) => from === undefined);
  const added = all.flatMap(({ id, from, to }) => (from ? diffItems(id, from, to) : []));
  const ids = newItems.map(({ id }) => id);
  const step = createStep(list, added);
  return {
    changes: [...added, ...newItems.flatMap(({ id, to, types }) => itemChanges(id, to, [...types]))],
    ids,
    back: (now) => [
      ...ids.map((id): Change => ({ kind: 'remove', thing: 'item', id })),
      ...createUndoStep(step, now, { known: (id) => id, newId }).changes,
    ],
  };
}
