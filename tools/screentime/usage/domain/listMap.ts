/** Returns the list of a key in a map. Adds an empty list if there is none. */
export function getOrCreateList<Key, Value>(listByKey: Map<Key, Value[]>, key: Key): Value[] {
  const existing = listByKey.get(key);
  if (existing) return existing;
  const created: Value[] = [];
  listByKey.set(key, created);
  return created;
}
