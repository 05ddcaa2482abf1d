import {
  LIMITS,
  NEW_ITEM,
  NEW_TYPE,
  isNewId,
  type Change,
  type Item,
  type List,
  type Type,
  UNSORTED_ID,
} from '../../lists/domain/list.ts';

/** Copies a list for changes: its maps are copied once, however many changes follow. */
export function copyOf(list: List) {
  return {
    name: list.name,
    items: new Map(list.items),
    types: new Map(list.types),
    links: new Map(list.links),
  };
}
export type ListDraft = ReturnType<typeof copyOf>;

/** Sets the links of an item. An item without links has no entry. */
export function withLinks(draft: ListDraft, item: string, types: ReadonlySet<string>): void {
  if (types.size > 0) draft.links.set(item, types);
  else draft.links.delete(item);
}

/** Removes an item with its links. */
export function withoutItem(draft: ListDraft, id: string): void {
  draft.items.delete(id);
  draft.links.delete(id);
}

/** Removes a type with its links; the built-in type stays. */
export function withoutType(draft: ListDraft, id: string): void {
  if (id === UNSORTED_ID) return;
  draft.types.delete(id);
  for (const [item, types] of draft.links)
    if (types.has(id)) withLinks(draft, item, new Set([...types].filter((each) => each !== id)));
}

const getOrCreateThing = <T>(things: Map<string, T>, id: string, fresh: T): T | undefined =>
  things.get(id) ?? (isNewId(id) ? fresh : undefined);

/** Returns an amount after a difference, within the limits. */
export function counted(amount: number, by: number): number {
  return Math.min(LIMITS.quantity, Math.max(0, amount + by));
}

const setLink = (draft: ListDraft, { item, type }: { item: string; type: string }, isLinked: boolean): void => {
  if (!draft.items.has(item) || !draft.types.has(type)) return;
  const linked = new Set(draft.links.get(item));
  if (isLinked) linked.add(type);
  else linked.delete(type);
  withLinks(draft, item, linked);
};

const setField = (draft: ListDraft, { kind, id, field, value }: Extract<Change, { kind: 'item' | 'type' }>): void => {
  // The field and the type of its value were validated where the change was made or read.
  if (kind === 'item') {
    const item = getOrCreateThing<Item>(draft.items, id, NEW_ITEM);
    if (item) draft.items.set(id, { ...item, [field]: value });
  } else {
    const type = getOrCreateThing<Type>(draft.types, id, NEW_TYPE);
    if (type) draft.types.set(id, { ...type, [field]: value });
  }
};

const applyChange = (draft: ListDraft, one: Change): void => {
  switch (one.kind) {
    case 'rename':
      draft.name = one.name;
      return;
    case 'item':
    case 'type':
      return setField(draft, one);
    case 'count': {
      const item = getOrCreateThing<Item>(draft.items, one.id, NEW_ITEM);
      if (item) draft.items.set(one.id, { ...item, actual: counted(item.actual, one.by) });
      return;
    }
    case 'link':
      return setLink(draft, one, one.isLinked);
    case 'links':
      if (draft.items.has(one.item))
        withLinks(draft, one.item, new Set(one.types.filter((type) => draft.types.has(type))));
      return;
    case 'remove':
      return one.thing === 'item' ? withoutItem(draft, one.id) : withoutType(draft, one.id);
  }
};

/** Applies changes to a list one by one; `seen` is the list after each `add`. */
export function startChanges(list: List) {
  const draft = copyOf(list);
  return { seen: draft as List, add: (one: Change): void => applyChange(draft, one) };
}

/** Returns the list after these changes, in order. Changes of things that do not exist are ignored. */
export function changed(list: List, changes: readonly Change[]): List {
  if (changes.length === 0) return list;
  const draft = copyOf(list);
  for (const one of changes) applyChange(draft, one);
  return draft;
}
