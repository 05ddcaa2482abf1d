/** The map below a layered map, and the writes on top of it. */
interface Layers<Key, Value> {
  readonly under: ReadonlyMap<Key, Value>;
  readonly over: ReadonlyMap<Key, Value>;
}

/** Large maps are copied once per this many writes, not for each write. */
const WRITES_PER_COPY = 64;
const MIN_LAYERED_SIZE = 4 * WRITES_PER_COPY;

const layersByMap = new WeakMap<ReadonlyMap<unknown, unknown>, Layers<unknown, unknown>>();

const createLayeredMap = <Key, Value>({ under, over }: Layers<Key, Value>): ReadonlyMap<Key, Value> => {
  let size = under.size;
  for (const key of over.keys()) if (!under.has(key)) size += 1;
  const get = (key: Key): Value | undefined => over.get(key) ?? under.get(key);
  const entries = function* (): MapIterator<[Key, Value]> {
    for (const [key, value] of under) yield [key, over.get(key) ?? value];
    for (const [key, value] of over) if (!under.has(key)) yield [key, value];
    return undefined;
  };
  const keys = function* (): MapIterator<Key> {
    for (const [key] of entries()) yield key;
    return undefined;
  };
  const values = function* (): MapIterator<Value> {
    for (const [, value] of entries()) yield value;
    return undefined;
  };
  const map: ReadonlyMap<Key, Value> = {
    size,
    get,
    has: (key) => over.has(key) || under.has(key),
    entries,
    keys,
    values,
    forEach: (then) => {
      for (const [key, value] of entries()) then(value, key, map);
    },
    [Symbol.iterator]: entries,
  };
  layersByMap.set(map, { under, over });
  return map;
};

/**
 * Returns the map with these writes, in the order of `new Map([...before, ...writes])`; `before` is not changed.
 * Large maps are not copied for each write. Values are never undefined.
 */
export function withWrites<Key, Value extends {}>(
  before: ReadonlyMap<Key, Value>,
  writes: ReadonlyMap<Key, Value>,
): ReadonlyMap<Key, Value> {
  if (writes.size === 0) return before;
  // Layers of a layered map are flattened to one: it has the same keys and values.
  const { under, over } = (layersByMap.get(before) as Layers<Key, Value> | undefined) ?? {
    under: before,
    over: new Map(),
  };
  if (under.size >= MIN_LAYERED_SIZE && over.size + writes.size <= WRITES_PER_COPY)
    return createLayeredMap({ under, over: new Map([...over, ...writes]) });
  const copy = new Map(before);
  for (const [key, value] of writes) copy.set(key, value);
  return copy;
}
