/** What such a map was made of: another one, and what was written over it. */
interface Layers<Key, Value> {
  readonly under: ReadonlyMap<Key, Value>;
  readonly over: ReadonlyMap<Key, Value>;
}

/** A map that large is copied once for so many writes, not with each of them. */
const WRITES_TO_A_COPY = 64;
const SMALL = 4 * WRITES_TO_A_COPY;

const layersOf = new WeakMap<ReadonlyMap<unknown, unknown>, Layers<unknown, unknown>>();

const layered = <Key, Value>({ under, over }: Layers<Key, Value>): ReadonlyMap<Key, Value> => {
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
  layersOf.set(map, { under, over });
  return map;
};

/**
 * The map with these writes, as `new Map([...before, ...writes])` would be, its order included; `before` stays as it is. One write to a map
 * of thousands costs no copy of them. Values are never undefined.
 */
export function written<Key, Value extends {}>(
  before: ReadonlyMap<Key, Value>,
  writes: ReadonlyMap<Key, Value>,
): ReadonlyMap<Key, Value> {
  if (writes.size === 0) return before;
  // Kept under its map: it has the same keys and values.
  const { under, over } = (layersOf.get(before) as Layers<Key, Value> | undefined) ?? {
    under: before,
    over: new Map(),
  };
  if (under.size >= SMALL && over.size + writes.size <= WRITES_TO_A_COPY)
    return layered({ under, over: new Map([...over, ...writes]) });
  const copy = new Map(before);
  for (const [key, value] of writes) copy.set(key, value);
  return copy;
}
