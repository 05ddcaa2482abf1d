import { STATES, type Change, type Item, type List, isCheckbox } from '../../domain/list.ts';

const unbought = (item: Item): Item => ({
  ...item,
  actual: 0,
  // A checkbox stays one, and is open.
  state: isCheckbox(item.state) ? STATES.question : item.state,
});

/** What makes nothing of a list bought: none where nothing is. */
export function untickAll({ items }: List): readonly Change[] {
  return [...items].flatMap(([id, item]): readonly Change[] => {
    const { actual, state } = unbought(item);
    return [
      ...(actual === item.actual ? [] : [{ kind: 'item', id, field: 'actual', value: actual } as const]),
      ...(state === item.state ? [] : [{ kind: 'item', id, field: 'state', value: state } as const]),
    ];
  });
}

/** The same items, types and links, and nothing of it bought yet. */
export function fresh(list: List): List {
  return {
    ...list,
    items: new Map([...list.items].map(([id, item]) => [id, unbought(item)])),
  };
}

const MAX_NAME_LENGTH = 190;

/** 'Weekly shop (copy)', '(copy 2)' where that is taken. */
export function copyName(name: string, taken: readonly string[]): string {
  const stem = Array.from(name.replace(/ \(copy( \d+)?\)$/, ''))
    .slice(0, MAX_NAME_LENGTH)
    .join('');
  const nameOf = (count: number): string => `${stem} (copy${count === 1 ? '' : ` ${count}`})`;
  let count = 1;
  while (taken.includes(nameOf(count))) count += 1;
  return nameOf(count);
}
