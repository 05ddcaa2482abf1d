import { readLines, type LeftLine } from '../../domain/lines.ts';
import { LIMITS, NEW_ITEM, type Change, type Item, type List } from '../../domain/list.ts';
import { exactly, sameName, type Known, type Names } from '../../domain/suggest.ts';
import { itemChanges } from './adding.ts';

/** A line as it would become an item. */
export interface PastedLine {
  /** Its place among the lines that were read; with `name` it names the line while the text is changed. */
  readonly key: string;
  readonly item: Item;
  /** Types that an item of this name had last. */
  readonly types: readonly string[];
  /** Where its name is already: in the list, or further up in the text. */
  readonly again: 'list' | 'text' | undefined;
}

export interface Pasted {
  readonly lines: readonly PastedLine[];
  readonly left: readonly LeftLine[];
}

interface PasteAround {
  readonly list: List;
  readonly names: Names<Known>;
  readonly typesHad: (name: string) => readonly string[];
  /** A fresh item that takes the first line: its name is none that the list has. */
  readonly into: string | undefined;
}

/** What a pasted text would add. */
export const readPasted = (text: string, { list, names, typesHad, into }: PasteAround): Pasted => {
  const own = into !== undefined && list.items.has(into) ? into : undefined;
  const others = [...list.items].filter(([id]) => id !== own);
  const inList = new Set(others.map(([, { name }]) => sameName(name)));
  const room = LIMITS.items - others.length;
  const { items, left } = readLines(text, { emojiOf: (name) => exactly(names, name)?.emoji, room });
  const inText = new Map<string, number>();
  const lines = items.map((item): PastedLine => {
    const same = sameName(item.name);
    const count = inText.get(same) ?? 0;
    inText.set(same, count + 1);
    return {
      key: `${same} ${count}`,
      item,
      types: typesHad(item.name),
      again: inList.has(same) ? 'list' : count > 0 ? 'text' : undefined,
    };
  });
  return { lines, left };
};

/** Makes items of these lines; `into` becomes the first one. */
export const pastedChanges = (
  lines: readonly PastedLine[],
  { list, newId, into }: { readonly list: List; readonly newId: () => string; readonly into: string | undefined },
): { readonly changes: readonly Change[]; readonly ids: readonly string[] } => {
  const fresh = into === undefined ? undefined : list.items.get(into);
  const own = fresh?.name === NEW_ITEM.name ? into : undefined;
  const made = lines.map(({ item, types }, at) => {
    const id = (at === 0 ? own : undefined) ?? newId();
    return { id, changes: itemChanges(id, item, types) };
  });
  return { changes: made.flatMap(({ changes }) => changes), ids: made.map(({ id }) => id) };
};
