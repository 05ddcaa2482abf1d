import { NEW_ITEM, NEW_TYPE, type List } from '../../lists/domain/list.ts';
import { copyOf, withLinks, withoutItem, withoutType, type ListDraft } from './draft.ts';
import type { LeafChange, LeafValue } from './engine.ts';

const setThing = (draft: ListDraft, kind: string, id: string, value: LeafValue | undefined): void => {
  // One that came is told with all of its fields; one that goes takes its links along.
  if (kind === 'items') {
    if (value === undefined) withoutItem(draft, id);
    else if (!draft.items.has(id)) draft.items.set(id, NEW_ITEM);
  } else if (value === undefined) withoutType(draft, id);
  else if (!draft.types.has(id)) draft.types.set(id, NEW_TYPE);
};

const setField = (draft: ListDraft, [kind, id = '', field = '']: readonly string[], value: LeafValue): void => {
  // The engine's fields have the engine's values.
  const [item, type] = [draft.items.get(id), draft.types.get(id)];
  if (kind === 'items' && item) draft.items.set(id, { ...item, [field]: value });
  if (kind === 'types' && type) draft.types.set(id, { ...type, [field]: value });
};

const setLink = (draft: ListDraft, [, item = '', type = '']: readonly string[], isLinked: boolean): void => {
  const linked = new Set(draft.links.get(item));
  if (isLinked) linked.add(type);
  else linked.delete(type);
  withLinks(draft, item, linked);
};

/**
 * What everyone sees after a batch, from what they saw before it and the batch's `changes`: what `listOf` gives of the state afterwards,
 * without reading the whole of it.
 */
export const listAfter = (list: List, changes: readonly LeafChange[]): List => {
  if (changes.length === 0) return list;
  const draft = copyOf(list);
  // Things first: their fields and links may be told before them.
  for (const [path, value] of changes) {
    const [kind = '', id = '', more] = path.split('/');
    if (kind === 'name') draft.name = String(value);
    else if (more === undefined) setThing(draft, kind, id, value);
  }
  for (const [path, value] of changes) {
    const parts = path.split('/');
    if (parts.length < 3) continue;
    if (parts[0] === 'links') setLink(draft, parts, value === true);
    else if (value !== undefined) setField(draft, parts, value);
  }
  return draft;
};
