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

/** Returns changes that give a new list the name, items, types and links of `from`, or the default name without it. */
export function createContent(from: { readonly name: string; readonly list: List } | undefined, now: number) {
  if (!from) return [{ kind: 'rename', name: NEW_LIST_NAME }] satisfies readonly Change[];
  const { name, list } = from;
  const newId = createNewIds();
  const assignedIds = new Map<string, string>();
  const getNewId = (thing: string, id: string): string => {
    const assigned = assignedIds.get(`${thing}/${id}`);
    if (assigned !== undefined) return assigned;
    const next = newId(now, { size: assignedIds.size, has: () => false });
    assignedIds.set(`${thing}/${id}`, next);
    return next;
  };
  const changes: Change[] = [{ kind: 'rename', name }];
  const typeId = (id: string): string => (id === UNSORTED_ID ? id : getNewId('type', id));
  for (const [id, type] of list.types)
    for (const field of TYPE_FIELDS)
      // The name creates the thing; fields with their default value need no change.
      if (field === 'name' || String(type[field]) !== String(NEW_TYPE[field]))
        changes.push({ kind: 'type', id: typeId(id), field, value: type[field] });
  for (const [id, item] of list.items) {
    for (const field of ITEM_FIELDS)
      if (field === 'name' || item[field] !== NEW_ITEM[field])
        changes.push({ kind: 'item', id: getNewId('item', id), field, value: item[field] });
    for (const type of list.links.get(id) ?? [])
      changes.push({ kind: 'link', item: getNewId('item', id), type: typeId(type), isLinked: true });
  }
  return changes;
}
