import { describeEffects, createUndoChanges } from '#tools/shopping/sync/domain/undoChanges.ts';
import { removeMeasure } from '../../domain/amounts.ts';
import { mergeItems, diffItems, getNameKey, getThingKey } from '../../domain/duplicates.ts';
import { findExact, type KnownName, type NameIndex } from '../../domain/itemNames.ts';
import { LIMITS, NEW_ITEM, type Change, type Item, type List } from '../../domain/list.ts';
import { parseLines, type UnparsedLine } from '../../domain/pastedLines.ts';
import { createItemChanges } from './itemChanges.ts';

/** A line as the item that it would become. */
export interface PastedLine {
  /** The name, and the number of earlier lines with it. Identifies the line while the text changes. */
  readonly key: string;
  readonly item: Item;
  /** Types that an item of this name had last. */
  readonly types: readonly string[];
  /** Where the same name already is: in the list, or in an earlier line. */
  readonly duplicateIn: 'list' | 'text' | undefined;
}

export interface PasteResult {
  readonly lines: readonly PastedLine[];
  readonly unparsed: readonly UnparsedLine[];
}

interface PasteContext {
  readonly list: List;
  readonly names: NameIndex<KnownName>;
  readonly findLastTypes: (name: string) => readonly string[];
  /** A new item that takes the first line; its own name is ignored as a duplicate. */
  readonly targetItemId: string | undefined;
}

/** Returns the types of this exact name, otherwise those of the same thing with any measure. */
function findTypesOfThing(name: string, findLastTypes: PasteContext['findLastTypes']): readonly string[] {
  const types = findLastTypes(name);
  return types.length > 0 ? types : findLastTypes(removeMeasure(name));
}

/** Returns what a pasted text would add. */
export function previewPaste(text: string, { list, names, findLastTypes, targetItemId }: PasteContext): PasteResult {
  const otherItems = [...list.items].filter(([id]) => id !== targetItemId);
  const listedThings = new Set(otherItems.map(([, { name }]) => getThingKey(name)));
  const maxItems = LIMITS.items - otherItems.length;
  const { items, unparsed } = parseLines(text, { findEmoji: (name) => findExact(names, name)?.emoji, maxItems });
  const countByName = new Map<string, number>();
  const namesByThing = new Map<string, Set<string>>();
  const lines = items.map((item): PastedLine => {
    const name = getNameKey(item.name);
    const thing = getThingKey(item.name);
    const count = countByName.get(name) ?? 0;
    countByName.set(name, count + 1);
    // 'Flour' and '500 g flour' are duplicates; '500 g flour' and '200 g flour' are not.
    const earlierNames = namesByThing.get(thing) ?? new Set();
    const isInText = earlierNames.has(name) || earlierNames.has(thing) || (name === thing && earlierNames.size > 0);
    namesByThing.set(thing, earlierNames.add(name));
    return {
      key: `${name} ${count}`,
      item,
      types: findTypesOfThing(item.name, findLastTypes),
      duplicateIn: listedThings.has(thing) ? 'list' : isInText ? 'text' : undefined,
    };
  });
  return { lines, unparsed };
}

interface MergedItem {
  readonly id: string;
  /** The item in the list; undefined for a new item. */
  readonly from: Item | undefined;
  to: Item;
  readonly types: Set<string>;
}

/** Creates items from these lines; `targetItemId` becomes the first one. Duplicates are added to the existing item. */
export function createPasteChanges(
  lines: readonly PastedLine[],
  {
    list,
    createId,
    targetItemId,
  }: { readonly list: List; readonly createId: () => string; readonly targetItemId: string | undefined },
): {
  readonly changes: readonly Change[];
  readonly ids: readonly string[];
  /** Returns the changes that undo it in the current list. */
  readonly createUndoChanges: (currentList: List) => readonly Change[];
} {
  const targetItem = targetItemId === undefined ? undefined : list.items.get(targetItemId);
  /** The target, until a line has become it. */
  let freeTargetId = targetItem?.name === NEW_ITEM.name ? targetItemId : undefined;
  const mergedByName = new Map<string, MergedItem>();
  for (const [id, item] of list.items)
    if (id !== freeTargetId && !mergedByName.has(getNameKey(item.name)))
      mergedByName.set(getNameKey(item.name), { id, from: item, to: item, types: new Set() });
  for (const { item, types } of lines) {
    const merged = mergedByName.get(getNameKey(item.name));
    if (merged) {
      merged.to = mergeItems(merged.to, item);
      for (const type of types) merged.types.add(type);
    } else {
      const id = freeTargetId ?? createId();
      mergedByName.set(getNameKey(item.name), { id, from: undefined, to: item, types: new Set(types) });
      freeTargetId = undefined;
    }
  }
  const mergedItems = [...mergedByName.values()];
  const newItems = mergedItems.filter(({ from }) => from === undefined);
  const mergeChanges = mergedItems.flatMap(({ id, from, to }) => (from ? diffItems(id, from, to) : []));
  const ids = newItems.map(({ id }) => id);
  const effects = describeEffects(list, mergeChanges);
  return {
    changes: [...mergeChanges, ...newItems.flatMap(({ id, to, types }) => createItemChanges(id, to, [...types]))],
    ids,
    createUndoChanges: (currentList) => [
      ...ids.map((id): Change => ({ kind: 'remove', thing: 'item', id })),
      ...createUndoChanges(effects, currentList, { getCurrentId: (id) => id, createId }).changes,
    ],
  };
}
