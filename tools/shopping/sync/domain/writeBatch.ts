import { LIMITS, type Change, type List } from '../../lists/domain/list.ts';
import { REMOVED, ITEM_NAMES, TYPE_NAMES, isRecord, wireName, type Json } from './listWire.ts';

/** As many digits as milliseconds since 1970 have until the year 2286, so that time and count never run into each other. */
const TIME_DIGITS = 13;

/**
 * Gives ids to things that the server does not know yet: 'new', the time and a count, as the specification makes them. The same one never
 * comes twice, however often in a millisecond it is asked and wherever the clock jumps. Items and types share one maker, as the server
 * maps both together.
 */
export function createNewIds() {
  let lastTime = 0;
  let lastCount = -1;
  /** `now` in milliseconds since 1970. `taken` are the ids in use, items and types, those of other tabs among them. */
  return (now: number, taken: { readonly size: number; has(id: string): boolean }): string => {
    // A clock set back goes on from the last time, counting.
    const time = Math.max(lastTime, Math.trunc(now));
    let count = time === lastTime ? Math.max(taken.size, lastCount + 1) : taken.size;
    const idOf = (): string => `new${String(time).padStart(TIME_DIGITS, '0')}${count}`;
    while (taken.has(idOf())) count += 1;
    lastTime = time;
    lastCount = count;
    return idOf();
  };
}

type Branch = Record<string, Json>;

const put = (branch: Branch, id: string, field: string, value: Json): void => {
  const before = branch[id];
  branch[id] = { ...(isRecord(before) ? before : {}), [field]: value };
};

/** Where a change stands in the tree, '/' between its keys: as `readChanges` names it. */
export function pathOf(change: Change): string {
  switch (change.kind) {
    case 'rename':
      return 'name';
    case 'count':
      return `items/${change.id}/actualquantity`;
    case 'link':
      return `links/${change.item}/${change.type}`;
    case 'links':
      return `links/${change.item}`;
    case 'remove':
      return `${change.thing}s/${change.id}`;
    case 'item':
      return `items/${change.id}/${wireName(ITEM_NAMES, change.field)}`;
    case 'type':
      return `types/${change.id}/${wireName(TYPE_NAMES, change.field)}`;
  }
}

/** No difference is greater than an amount can be. */
const within = (by: number): number => Math.max(-LIMITS.quantity, Math.min(LIMITS.quantity, by));

/** A batch that is being written. */
const startBatch = (seen: List) => {
  const tree: { name?: string; items: Branch; types: Branch; links: Branch } = { items: {}, types: {}, links: {} };
  const inc: Record<string, number> = {};
  const linked: Record<string, boolean> = {};
  /** Items whose amount was set in this batch: what is counted on from there is part of what is set. */
  const sets = new Set<string>();
  const setItem = ({ id, field, value }: Extract<Change, { kind: 'item' }>, path: string): void => {
    if (field === 'actual') {
      delete inc[path];
      sets.add(id);
    }
    put(tree.items, id, wireName(ITEM_NAMES, field), value);
  };
  const count = ({ id, by }: Extract<Change, { kind: 'count' }>, path: string): void => {
    if (!sets.has(id)) inc[path] = within((inc[path] ?? 0) + by);
    put(tree.items, id, 'actualquantity', seen.items.get(id)?.actual ?? 0);
  };
  return {
    batch: { changes: tree, inc, linked },
    add: (change: Change): void => {
      const path = pathOf(change);
      switch (change.kind) {
        case 'rename':
          tree.name = change.name;
          return;
        case 'item':
          return setItem(change, path);
        case 'type':
          return put(tree.types, change.id, wireName(TYPE_NAMES, change.field), change.value);
        case 'count':
          return count(change, path);
        case 'link':
          linked[`${change.item}/${change.type}`] = change.isLinked;
          tree.links[change.item] = [...(seen.links.get(change.item) ?? [])];
          return;
        case 'links':
          tree.links[change.item] = [...change.types];
          return;
        case 'remove':
          (change.thing === 'item' ? tree.items : tree.types)[change.id] = REMOVED;
      }
    },
  };
};

/** Changes as our page sends them: the tree with their last values, `seen` with all of them made, and the differences that count in their place. */
export function writeChanges(changes: readonly Change[], seen: List) {
  const { batch, add } = startBatch(seen);
  for (const change of changes) add(change);
  return batch;
}
