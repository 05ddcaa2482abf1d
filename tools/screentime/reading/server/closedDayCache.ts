import { LRUCache } from 'lru-cache';
import { OPENED_AFTER } from '../../usage/domain/deviceRecord.ts';
import type { SecondRange } from '../../usage/domain/track.ts';
import type { UsageChanges } from '../../usage/server/usageChanges.ts';

/** Total size, by the sizes that callers report. */
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** Cache of values computed from complete days, which rarely change and are requested again and again. */
export interface ClosedDayCache {
  /**
   * Returns the cached value, or computes it. A change of usage between `from` and `until` (seconds since the epoch)
   * invalidates it, also while it is computed.
   */
  readonly getOrCompute: <T>(account: number, about: CacheEntryRange, make: () => Promise<Computed<T>>) => Promise<T>;
  readonly forget: (account: number) => void;
}

interface CacheEntryRange extends SecondRange {
  /** Cache key: it must include all parameters of the request. */
  readonly name: string;
}

interface Computed<T> {
  readonly value: T;
  /** Estimated memory. */
  readonly bytes: number;
}

interface Entry extends SecondRange, Computed<unknown> {
  readonly account: number;
}

/** A running computation; `isStale` if its days have changed meanwhile. */
interface PendingComputation extends SecondRange {
  readonly account: number;
  isStale: boolean;
}

const overlap = (one: SecondRange, other: SecondRange): boolean => one.from < other.until && other.from < one.until;

export function createClosedDayCache(changes: Pick<UsageChanges, 'on'>, mostBytes = DEFAULT_MAX_BYTES): ClosedDayCache {
  const entries = new LRUCache<string, Entry>({
    maxSize: mostBytes,
    // The cache accepts whole sizes above 0 only.
    sizeCalculation: ({ bytes }) => Math.max(1, Math.ceil(bytes)),
  });
  const pending = new Set<PendingComputation>();
  const dropWhere = (isGone: (one: Pick<Entry, 'account' | 'from' | 'until'>) => boolean): void => {
    const gone = [...entries].filter(([, entry]) => isGone(entry));
    for (const [key] of gone) entries.delete(key);
    for (const one of pending) if (isGone(one)) one.isStale = true;
  };
  // A start of focus soon after a change may now count as an opening, or not.
  changes.on(({ account, from, until }) =>
    dropWhere((one) => one.account === account && overlap(one, { from, until: until + OPENED_AFTER })),
  );

  return {
    getOrCompute: async <T>(
      account: number,
      { name, from, until }: CacheEntryRange,
      make: () => Promise<Computed<T>>,
    ): Promise<T> => {
      const key = `${account} ${name}`;
      const cached = entries.get(key);
      if (cached) return cached.value as T;
      const own: PendingComputation = { account, from, until, isStale: false };
      pending.add(own);
      try {
        const computed = await make();
        if (!own.isStale) entries.set(key, { ...computed, account, from, until });
        return computed.value;
      } finally {
        pending.delete(own);
      }
    },
    forget: (account) => dropWhere((one) => one.account === account),
  };
}
