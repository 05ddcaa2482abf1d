import { UNSORTED_ID, type List } from '../../lists/domain/list.ts';

/** A list that is being changed: copies of its own, made once however many changes there are. */
export const copyOf = (list: List) => ({
  name: list.name,
  items: new Map(list.items),
  types: new Map(list.types),
  links: new Map(list.links),
});
export type ListDraft = ReturnType<typeof copyOf>;

/** An item without links has no entry. */
export const withLinks = (draft: ListDraft, item: string, types: ReadonlySet<string>): void => {
  if (types.size > 0) draft.links.set(item, types);
  else draft.links.delete(item);
};

export const withoutItem = (draft: ListDraft, id: string): void => {
  draft.items.delete(id);
  draft.links.delete(id);
};

export const withoutType = (draft: ListDraft, id: string): void => {
  if (id === UNSORTED_ID) return;
  draft.types.delete(id);
  for (const [item, types] of draft.links)
    if (types.has(id)) withLinks(draft, item, new Set([...types].filter((each) => each !== id)));
};
