import { ITEM_FIELDS, LIMITS, NEW_ITEM, type Change, type Item, type List } from '../../domain/list.ts';
import { inOrder } from '../../domain/order.ts';
import { sameName, type KnownName } from '../../domain/suggest.ts';

export const whyNoName = (text: string, what: string): string | undefined => {
  if (text.trim() === '') return '';
  return Array.from(text.trim()).length > LIMITS.name
    ? `The name of ${what} has at most ${LIMITS.name} characters`
    : undefined;
};

/** Makes an item under a `new…` id: only what differs from a new one's defaults is told besides its name. */
export const itemChanges = (id: string, item: Item, types: readonly string[]): readonly Change[] => [
  { kind: 'item', id, field: 'name', value: item.name },
  ...ITEM_FIELDS.filter((field) => field !== 'name' && item[field] !== NEW_ITEM[field]).map((field): Change => ({
    kind: 'item',
    id,
    field,
    value: item[field],
  })),
  ...types.map((type): Change => ({ kind: 'link', item: id, type, isLinked: true })),
];

/** What brings a removed item back, under another id. */
export const itemAgain = (before: List, id: string, newId: () => string): readonly Change[] => {
  const item = before.items.get(id);
  return item ? itemChanges(newId(), item, [...(before.links.get(id) ?? [])]) : [];
};

/** What brings a removed type back, under another id and with its items. `has` tells which of them are still there. */
export const typeAgain = (
  before: List,
  id: string,
  now: { newId: () => string; has: (item: string) => boolean },
): readonly Change[] => {
  const type = before.types.get(id);
  if (!type) return [];
  const again = now.newId();
  const linked = [...before.links].filter(([item, types]) => types.has(id) && now.has(item));
  return [
    { kind: 'type', id: again, field: 'name', value: type.name },
    { kind: 'type', id: again, field: 'colour', value: type.colour },
    { kind: 'type', id: again, field: 'isVisible', value: type.isVisible },
    { kind: 'type', id: again, field: 'order', value: type.order },
    ...linked.map(([item]): Change => ({ kind: 'link', item, type: again, isLinked: true })),
  ];
};

/** Gives an item a name; a known one brings its emoji, and its types where the item has none. */
export const nameChanges = (
  list: List,
  id: string,
  name: string,
  known?: KnownName & { readonly types?: readonly string[] },
): readonly Change[] => {
  const item = list.items.get(id);
  if (!item) return [];
  const types = (list.links.get(id)?.size ?? 0) === 0 ? (known?.types ?? []) : [];
  return [
    ...(item.name === name ? [] : [{ kind: 'item', id, field: 'name', value: name } as const]),
    ...(known && known.emoji !== '' && known.emoji !== item.emoji
      ? [{ kind: 'item', id, field: 'emoji', value: known.emoji } as const]
      : []),
    ...types.map((type): Change => ({ kind: 'link', item: id, type, isLinked: true })),
  ];
};

/** Ids of a list's types by their names, in the list's order; names that it does not have are left out. */
export const typesNamed = (list: List, names: readonly string[]): readonly string[] => {
  const wanted = new Set(names.map(sameName));
  return inOrder(list.types).filter((id) => wanted.has(sameName(list.types.get(id)?.name ?? '')));
};
