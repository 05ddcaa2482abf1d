import type { Item, List, Type } from '../../lists/domain/list.ts';
import { copyOf, withLinks, withoutItem, withoutType, type ListDraft } from './draft.ts';
import { ITEM_NAMES, TYPE_NAMES, isRecord, treeOf, type Json, type WireChange } from './listWire.ts';

const itemOf = (value: Json): Item | undefined => {
  if (!isRecord(value)) return undefined;
  const { name, emoji, defaultquantity, actualquantity, state } = value;
  // The server's own words: it says all fields of a thing.
  return { name, emoji, desired: defaultquantity, actual: actualquantity, state } as Item;
};
const typeOf = (value: Json): Type | undefined => {
  if (!isRecord(value)) return undefined;
  const { name, colour, visualised, userset, order } = value;
  return { name, colour, isVisible: visualised, isOwn: userset, order } as Type;
};

const setThing = (draft: ListDraft, kind: string, id: string, value: Json): void => {
  if (kind === 'items') {
    const item = itemOf(value);
    if (item) draft.items.set(id, item);
    else withoutItem(draft, id);
  } else {
    const type = typeOf(value);
    if (type) draft.types.set(id, type);
    else withoutType(draft, id);
  }
};

const setField = (draft: ListDraft, [kind, id = '', field = '']: readonly string[], value: Json): void => {
  const [item, type] = [draft.items.get(id), draft.types.get(id)];
  const [ofItem, ofType] = [ITEM_NAMES[field], TYPE_NAMES[field]];
  if (kind === 'items' && item && ofItem) draft.items.set(id, { ...item, [ofItem]: value });
  if (kind === 'types' && type && ofType) draft.types.set(id, { ...type, [ofType]: value });
};

const setOne = (draft: ListDraft, [path, value]: WireChange): void => {
  const [kind = '', id = '', field] = path;
  if (kind === 'name') draft.name = typeof value === 'string' ? value : draft.name;
  else if (kind === 'links') withLinks(draft, id, new Set(Array.isArray(value) ? value.map(String) : []));
  else if (field === undefined) setThing(draft, kind, id, value);
  else setField(draft, path, value);
};

/** A list with what the server told: `[path, value]` one after the other. */
export const told = (list: List, changes: readonly WireChange[]): List => {
  if (changes.length === 0) return list;
  const draft = copyOf(list);
  for (const change of changes) setOne(draft, change);
  return draft;
};

/** A list from its tree. */
export const fromTree = (tree: ReturnType<typeof treeOf>): List =>
  told({ name: tree.name, items: new Map(), types: new Map(), links: new Map() }, [
    ...Object.entries(tree.items).map(([id, item]): WireChange => [['items', id], item]),
    ...Object.entries(tree.types).map(([id, type]): WireChange => [['types', id], type]),
    ...Object.entries(tree.links).map(([id, types]): WireChange => [['links', id], types]),
  ]);
