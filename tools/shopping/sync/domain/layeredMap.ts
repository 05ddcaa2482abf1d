/** Parts of a layered map: a base, and later writes over it. */
interface Layers<Key, Value> {
  readonly base: ReadonlyMap<Key, Value>;
  readonly overlay: ReadonlyMap<Key, Value>;
}

/** Number of writes after which a large map is copied. */
const WRITES_PER_COPY = 64;
const MIN_LAYERED_SIZE = 4 * WRITES_PER_COPY;

const layersByMap = new WeakMap<ReadonlyMap<unknown, unknown>, Layers<unknown, unknown>>();

function createLayeredMap<Key, Value>({ base, overlay }: Layers<Key, Value>): ReadonlyMap<Key, Value> {
  let size = base.size;
  for (const key of overlay.keys()) if (!base.has(key)) size += 1;
  const get = (key: Key): Value | undefined => overlay.get(key) ?? base.get(key);
  const entries = function* (): MapIterator<[Key, Value]> {
    for (const [key, value] of base) yield [key, overlay.get(key) ?? value];
    for (const [key, value] of overlay) if (!base.has(key)) yield [key, value];
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
    has: (key) => overlay.has(key) || base.has(key),
    entries,
    keys,
    values,
    forEach: (callback) => {
      for (const [key, value] of entries()) callback(value, key, map);
    },
    [Symbol.iterator]: entries,
  };
  layersByMap.set(map, { base, overlay });
  return map;
}

/**
 * Returns the map with these writes, in the order of `new Map([...before, ...writes])`; `before` is not changed.
 * Large maps are not copied for each write. Values are never undefined.
 */
export function applyWrites<Key, Value extends {}>(
  before: ReadonlyMap<Key, Value>,
  writes: ReadonlyMap<Key, Value>,
): ReadonlyMap<Key, Value> {
  if (writes.size === 0) return before;
  // Layers of a layered map are flattened to one: it has the same keys and values.
  const { base, overlay } = (layersByMap.get(before) as Layers<Key, Value> | undefined) ?? {
    base: before,
    overlay: new Map(),
  };
  if (base.size >= MIN_LAYERED_SIZE && overlay.size + writes.size <= WRITES_PER_COPY)
    return createLayeredMap({ base, overlay: new Map([...overlay, ...writes]) });
  const copy = new Map(before);
  for (const [key, value] of writes) copy.set(key, value);
  return copy;
}
