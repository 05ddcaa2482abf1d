import { STATES, type Change, type Item, type List, isCheckbox } from '../../domain/list.ts';

const resetItem = (item: Item): Item => ({
  ...item,
  actual: 0,
  // A ticked checkbox becomes an open one.
  state: isCheckbox(item.state) ? STATES.question : item.state,
});

/** Returns changes after which nothing of a list is bought; empty if nothing is. */
export function createUntickChanges({ items }: List): readonly Change[] {
  return [...items].flatMap(([id, item]): readonly Change[] => {
    const { actual, state } = resetItem(item);
    return [
      ...(actual === item.actual ? [] : [{ kind: 'item', id, field: 'actual', value: actual } as const]),
      ...(state === item.state ? [] : [{ kind: 'item', id, field: 'state', value: state } as const]),
    ];
  });
}

/** Returns the list with nothing bought. */
export function resetList(list: List): List {
  return { ...list, items: new Map([...list.items].map(([id, item]) => [id, resetItem(item)])) };
}

const MAX_NAME_LENGTH = 190;

/** Names a copy: 'Weekly shop (copy)', or '(copy 2)' if that exists. */
export function createCopyName(name: string, usedNames: readonly string[]): string {
  const stem = Array.from(name.replace(/ \(copy( \d+)?\)$/, ''))
    .slice(0, MAX_NAME_LENGTH)
    .join('');
  const formatCopyName = (count: number): string => `${stem} (copy${count === 1 ? '' : ` ${count}`})`;
  let count = 1;
  while (usedNames.includes(formatCopyName(count))) count += 1;
  return formatCopyName(count);
}
