/** Returns the list of a key in a map. Adds an empty list if there is none. */
export function getOrCreateList<Key, Value>(listByKey: Map<Key, Value[]>, key: Key): Value[] {
  const existing = listByKey.get(key);
  if (existing) return existing;
  const created: Value[] = [];
  listByKey.set(key, created);
  return created;
}

/** Groups items by key and preserves their order. Replaces `Map.groupBy` in browsers without it. */
export function groupBy<Item, Key>(items: Iterable<Item>, getKey: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) getOrCreateList(groups, getKey(item)).push(item);
  return groups;
}
