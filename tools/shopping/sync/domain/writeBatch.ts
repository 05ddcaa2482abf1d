import { LIMITS, type Change, type List } from '../../lists/domain/list.ts';
import {
  REMOVED,
  ITEM_FIELD_BY_WIRE_NAME,
  TYPE_FIELD_BY_WIRE_NAME,
  isRecord,
  getWireName,
  type Json,
} from './listWire.ts';

/** Digits of epoch milliseconds until the year 2286. Padding keeps time and count apart. */
const TIME_DIGITS = 13;

/**
 * Creates a generator of ids that never repeat: 'new', time and count (docs/specification/shopping.md section 3.2).
 * Items and types share one generator because the server maps them together.
 */
export function createIdGenerator() {
  let lastTime = 0;
  let lastCount = -1;
  /** `now`: epoch milliseconds. `taken`: ids in use by items and types, including those of other tabs. */
  return (now: number, taken: { readonly size: number; has(id: string): boolean }): string => {
    // If the clock was set back, the last time is used and the count continues.
    const time = Math.max(lastTime, Math.trunc(now));
    let count = time === lastTime ? Math.max(taken.size, lastCount + 1) : taken.size;
    const formatId = (): string => `new${String(time).padStart(TIME_DIGITS, '0')}${count}`;
    while (taken.has(formatId())) count += 1;
    lastTime = time;
    lastCount = count;
    return formatId();
  };
}

type Branch = Record<string, Json>;

function setField(branch: Branch, id: string, field: string, value: Json): void {
  const fields = branch[id];
  branch[id] = { ...(isRecord(fields) ? fields : {}), [field]: value };
}

/** Returns the path of a change in the tree, joined with '/', as `parseChanges` names it. */
export function getPath(change: Change): string {
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
      return `items/${change.id}/${getWireName(ITEM_FIELD_BY_WIRE_NAME, change.field)}`;
    case 'type':
      return `types/${change.id}/${getWireName(TYPE_FIELD_BY_WIRE_NAME, change.field)}`;
  }
}

/** Limits a difference to the range of an amount. */
const clampDifference = (by: number): number => Math.max(-LIMITS.quantity, Math.min(LIMITS.quantity, by));

/** Creates a builder that collects changes into one batch. `list`: the list after all of them. */
function createBatchBuilder(list: List) {
  const tree: { name?: string; items: Branch; types: Branch; links: Branch } = { items: {}, types: {}, links: {} };
  const inc: Record<string, number> = {};
  const linked: Record<string, boolean> = {};
  /** Items whose amount this batch sets; later differences are part of the set value. */
  const itemsWithSetAmount = new Set<string>();
  function setItem({ id, field, value }: Extract<Change, { kind: 'item' }>, path: string): void {
    if (field === 'actual') {
      delete inc[path];
      itemsWithSetAmount.add(id);
    }
    setField(tree.items, id, getWireName(ITEM_FIELD_BY_WIRE_NAME, field), value);
  }
  function addCount({ id, by }: Extract<Change, { kind: 'count' }>, path: string): void {
    if (!itemsWithSetAmount.has(id)) inc[path] = clampDifference((inc[path] ?? 0) + by);
    setField(tree.items, id, 'actualquantity', list.items.get(id)?.actual ?? 0);
  }
  return {
    batch: { changes: tree, inc, linked },
    add: (change: Change): void => {
      const path = getPath(change);
      switch (change.kind) {
        case 'rename':
          tree.name = change.name;
          return;
        case 'item':
          return setItem(change, path);
        case 'type':
          return setField(tree.types, change.id, getWireName(TYPE_FIELD_BY_WIRE_NAME, change.field), change.value);
        case 'count':
          return addCount(change, path);
        case 'link':
          linked[`${change.item}/${change.type}`] = change.isLinked;
          tree.links[change.item] = [...(list.links.get(change.item) ?? [])];
          return;
        case 'links':
          tree.links[change.item] = [...change.types];
          return;
        case 'remove':
          (change.thing === 'item' ? tree.items : tree.types)[change.id] = REMOVED;
      }
    },
  };
}

/**
 * Converts changes to the wire: a tree with their final values, and the differences that replace counters and links.
 * @param list the list after all of the changes
 */
export function writeChanges(changes: readonly Change[], list: List) {
  const { batch, add } = createBatchBuilder(list);
  for (const change of changes) add(change);
  return batch;
}
