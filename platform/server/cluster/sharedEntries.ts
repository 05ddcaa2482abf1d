import type { FastifyBaseLogger } from 'fastify';
import type { Redis } from './redis.ts';

/** Small entries by key that all instances share, such as counters of failed logins. */
export interface SharedEntries<Entry> {
  readonly get: (key: string) => Promise<Entry | undefined>;
  /** Replaces an entry, with no other change in between. It may be removed after `ttlMs`. */
  readonly update: (
    key: string,
    change: (entry: Entry | undefined) => { readonly entry: Entry; readonly ttlMs: number },
  ) => Promise<void>;
  readonly remove: (key: string) => Promise<void>;
}
/** Creates entries under a name. */
export type CreateSharedEntries = <Entry>(name: string) => SharedEntries<Entry>;

/** Maximum number of keys in memory. The oldest ones are removed, so that attackers cannot fill it. */
const MAX_KEYS = 50_000;

/** Creates entries in the memory of this process. They are removed when there are too many, not after their time. */
export function createLocalEntries<Entry>(): SharedEntries<Entry> {
  const entries = new Map<string, Entry>();
  return {
    get: async (key) => entries.get(key),
    update: async (key, change) => {
      const { entry } = change(entries.get(key));
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size <= MAX_KEYS) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    remove: async (key) => void entries.delete(key),
  };
}

/** Sets an entry unless it has changed meanwhile. */
const COMPARE_AND_SET = `
if (redis.call('get', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;
const MAX_UPDATE_ATTEMPTS = 100;

/** Creates entries in Redis. While it is not available, they are in the memory of each instance. */
export function createRedisEntries<Entry>(redis: Redis, name: string, log: FastifyBaseLogger): SharedEntries<Entry> {
  const local = createLocalEntries<Entry>();
  const toKey = (key: string): string => `${redis.prefix}${name}:${key}`;

  async function withFallback<T>(run: () => Promise<T>, fallback: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (err) {
      log.debug({ err, name }, 'redis.entries.local');
      return fallback();
    }
  }
  const parse = (text: string | null): Entry | undefined => (text === null ? undefined : (JSON.parse(text) as Entry));
  return {
    get: (key) =>
      withFallback(
        async () => parse(await redis.run((client) => client.get(toKey(key)))),
        () => local.get(key),
      ),
    update: (key, change) =>
      withFallback(
        async () => {
          for (let attempt = 0; attempt < MAX_UPDATE_ATTEMPTS; attempt += 1) {
            const text = await redis.run((client) => client.get(toKey(key)));
            const { entry, ttlMs } = change(parse(text));
            const isSet = await redis.run((client) =>
              client.eval(COMPARE_AND_SET, {
                keys: [toKey(key)],
                arguments: [text ?? '', JSON.stringify(entry), String(Math.max(1, Math.ceil(ttlMs)))],
              }),
            );
            if (isSet === 1) return;
          }
          throw new Error(`${name} changed ${MAX_UPDATE_ATTEMPTS} times during an update`);
        },
        () => local.update(key, change),
      ),
    remove: async (key) => {
      await local.remove(key);
      await withFallback(
        async () => void (await redis.run((client) => client.del(toKey(key)))),
        async () => undefined,
      );
    },
  };
}
