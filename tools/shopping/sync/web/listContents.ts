import {
  ITEM_FIELDS,
  NEW_ITEM,
  NEW_LIST_NAME,
  NEW_TYPE,
  TYPE_FIELDS,
  UNSORTED_ID,
  type Change,
  type List,
} from '../../lists/domain/list.ts';
import { createNewIds } from '../domain/writeBatch.ts';

/** Changes that make a new list what `from` is: its name, items, types and links. Without it a list with its first name. */
export function contentOf(from: { readonly name: string; readonly list: List } | undefined, now: number) {
  if (!from) return [{ kind: 'rename', name: NEW_LIST_NAME }] satisfies readonly Change[];
  const { name, list } = from;
  const newId = createNewIds();
  const given = new Map<string, string>();
  const idOf = (thing: string, id: string): string => {
    const found = given.get(`${thing}/${id}`);
    if (found !== undefined) return found;
    const next = newId(now, { size: given.size, has: () => false });
    given.set(`${thing}/${id}`, next);
    return next;
  };
  const changes: Change[] = [{ kind: 'rename', name }];
  const typeId = (id: string): string => (id === UNSORTED_ID ? id : idOf('type', id));
  for (const [id, type] of list.types)
    for (const field of TYPE_FIELDS)
      // A name makes the thing; what is as it would be anyway need not be said.
      if (field === 'name' || String(type[field]) !== String(NEW_TYPE[field]))
        changes.push({ kind: 'type', id: typeId(id), field, value: type[field] });
  for (const [id, item] of list.items) {
    for (const field of ITEM_FIELDS)
      if (field === 'name' || item[field] !== NEW_ITEM[field])
        changes.push({ kind: 'item', id: idOf('item', id), field, value: item[field] });
    for (const type of list.links.get(id) ?? [])
      changes.push({ kind: 'link', item: idOf('item', id), type: typeId(type), isLinked: true });
  }
  return changes;
}
