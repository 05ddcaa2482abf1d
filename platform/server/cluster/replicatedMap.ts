import type { Cluster } from './cluster.ts';

/**
 * A map that every instance has a copy of, such as the last reports of connected devices. An entry belongs to the
 * instance that set it last, and is removed when that instance stops. A copy is behind by one message.
 */
export interface ReplicatedMap<Value, Key extends number | string = number> extends Iterable<[Key, Value]> {
  readonly get: (key: Key) => Value | undefined;
  readonly has: (key: Key) => boolean;
  readonly set: (key: Key, value: Value) => void;
  /** Returns whether there was an entry. Copies of entries that another instance set are removed only here. */
  readonly delete: (key: Key) => boolean;
  readonly values: () => Iterable<Value>;
}

/** Converts values that are not JSON. */
export interface JsonCodec<Value> {
  readonly encode: (value: Value) => unknown;
  readonly decode: (json: never) => Value;
}

const createIdentityCodec = <Value>(): JsonCodec<Value> => ({ encode: (value) => value, decode: (json) => json });

/** What an instance publishes about its entries. Without `removed`, it has no others than these. */
interface EntriesMessage<Key> {
  readonly set: readonly (readonly [Key, unknown])[];
  readonly removed?: readonly Key[];
}

/** Creates this instance's copy. @param name unique among all maps */
export function createReplicatedMap<Value, Key extends number | string = number>(
  cluster: Cluster,
  name: string,
  { encode, decode }: JsonCodec<Value> = createIdentityCodec(),
): ReplicatedMap<Value, Key> {
  const topic = `map ${name}`;
  const entries = new Map<Key, Value>();
  /** Instances that set entries which this instance did not set. */
  const owners = new Map<Key, string>();

  /** Removes entries that another instance has set. */
  function removeCopies(instance: string, keys: Iterable<Key> = owners.keys()): void {
    for (const key of keys)
      if (owners.get(key) === instance) {
        entries.delete(key);
        owners.delete(key);
      }
  }
  const publish = (message: EntriesMessage<Key>): void => cluster.publish(topic, message);
  cluster.subscribe(topic, ({ set, removed }: EntriesMessage<Key>, from) => {
    removeCopies(from, removed);
    for (const [key, json] of set) {
      entries.set(key, decode(json as never));
      owners.set(key, from);
    }
  });
  cluster.onJoined(() =>
    publish({ set: [...entries].filter(([key]) => !owners.has(key)).map(([key, value]) => [key, encode(value)]) }),
  );
  cluster.onLeft((instance) => removeCopies(instance));
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set: (key, value) => {
      entries.set(key, value);
      owners.delete(key);
      if (cluster.isShared) publish({ set: [[key, encode(value)]], removed: [] });
    },
    delete: (key) => {
      const existed = entries.delete(key);
      if (existed && !owners.delete(key)) publish({ set: [], removed: [key] });
      return existed;
    },
    values: () => entries.values(),
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  };
}
