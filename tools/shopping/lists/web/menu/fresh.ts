import { STATES, type Change, type Item, type List, isCheckbox } from '../../domain/list.ts';

const unbought = (item: Item): Item => ({
  ...item,
  actual: 0,
  // A checkbox stays one, but open.
  state: isCheckbox(item.state) ? STATES.question : item.state,
});

/** Returns changes after which nothing of a list is bought; empty if nothing is. */
export function untickAll({ items }: List): readonly Change[] {
  return [...items].flatMap(([id, item]): readonly Change[] => {
    const { actual, state } = unbought(item);
    return [
      ...(actual === item.actual ? [] : [{ kind: 'item', id, field: 'actual', value: actual } as const]),
      ...(state === item.state ? [] : [{ kind: 'item', id, field: 'state', value: state } as const]),
    ];
  });
}

/** Returns the same items, types and links with nothing bought. */
export function fresh(list: List): List {
  return {
    ...list,
    items: new Map([...list.items].map(([id, item]) => [id, unbought(item)])),
  };
}

const MAX_NAME_LENGTH = 190;

/** Names a copy: 'Weekly shop (copy)', or '(copy 2)' if that exists. */
export function copyName(name: string, taken: readonly string[]): string {
  const stem = Array.from(name.replace(/ \(copy( \d+)?\)$/, ''))
    .slice(0, MAX_NAME_LENGTH)
    .join('');
  const formatCopyName = (count: number): string => `${stem} (copy${count === 1 ? '' : ` ${count}`})`;
  let count = 1;
  while (taken.includes(formatCopyName(count))) count += 1;
  return formatCopyName(count);
}
