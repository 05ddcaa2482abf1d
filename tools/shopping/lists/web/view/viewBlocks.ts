import type { Item, List, Type } from '../../domain/list.ts';
import { inOrder } from '../../domain/order.ts';
import { isDone } from '../../domain/state.ts';

/** A type with the items that are seen in it. */
export interface Block {
  readonly id: string;
  readonly type: Type;
  readonly items: readonly (readonly [string, Item])[];
  readonly done: number;
}

interface Blocks {
  readonly blocks: readonly Block[];
  /** Items that stand in no block, because none of their types is visible. */
  readonly hidden: number;
}

type Entry = readonly [string, Item];

/** One block for each visible type, in the order of the types, with its items in the order of the list. Built-in types without items are left out. */
export const blocksOf = ({ items, types, links }: List): Blocks => {
  const byType = new Map<string, Entry[]>([...types.keys()].map((id) => [id, []]));
  const builtIn = new Set([...types].filter(([, { isOwn }]) => !isOwn).map(([id]) => id));
  let hidden = 0;
  for (const entry of items) {
    let isOwn = false;
    let isSeen = false;
    const put = (id: string): void => {
      byType.get(id)?.push(entry);
      if (types.get(id)?.isVisible) isSeen = true;
    };
    for (const id of links.get(entry[0]) ?? [])
      if (!builtIn.has(id)) {
        isOwn = true;
        put(id);
      }
    if (!isOwn) builtIn.forEach(put);
    if (!isSeen) hidden += 1;
  }
  const blocks = inOrder(types).flatMap((id): readonly Block[] => {
    const type = types.get(id);
    const its = byType.get(id) ?? [];
    if (!type?.isVisible || (!type.isOwn && its.length === 0)) return [];
    return [{ id, type, items: its, done: its.filter(([, item]) => isDone(item)).length }];
  });
  return { blocks, hidden };
};
