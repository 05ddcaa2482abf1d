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

  cluster.subscribe(topic, ([key, json]: readonly [Key, unknown], from) => {
    if (json !== null) {
      entries.set(key, decode(json as never));
      owners.set(key, from);
    } else if (owners.get(key) === from) {
      entries.delete(key);
      owners.delete(key);
    }
  });
  cluster.onJoined(() => {
    for (const [key, value] of entries) if (!owners.has(key)) cluster.publish(topic, [key, encode(value)]);
  });
  cluster.onLeft((instance) => {
    for (const [key, owner] of owners)
      if (owner === instance) {
        entries.delete(key);
        owners.delete(key);
      }
  });
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set: (key, value) => {
      entries.set(key, value);
      owners.delete(key);
      if (cluster.isShared) cluster.publish(topic, [key, encode(value)]);
    },
    delete: (key) => {
      const existed = entries.delete(key);
      if (existed && !owners.delete(key)) cluster.publish(topic, [key, null]);
      return existed;
    },
    values: () => entries.values(),
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  };
}
