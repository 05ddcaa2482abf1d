import { LRUCache } from 'lru-cache';
import { MIN_REOPEN_GAP_SECONDS } from '../../usage/domain/deviceRecord.ts';
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
  readonly getOrCompute: <T>(account: number, query: CacheQuery, compute: () => Promise<Computed<T>>) => Promise<T>;
  readonly clearAccount: (account: number) => void;
}

interface CacheQuery extends SecondRange {
  /** Cache key: it must include all parameters of the request. */
  readonly key: string;
}

interface Computed<T> {
  readonly value: T;
  /** Estimated memory. */
  readonly bytes: number;
}

interface CacheEntry extends SecondRange, Computed<unknown> {
  readonly account: number;
}

/** A running computation; `isStale` if its days have changed meanwhile. */
interface PendingComputation extends SecondRange {
  readonly account: number;
  isStale: boolean;
}

const isOverlapping = (a: SecondRange, b: SecondRange): boolean => a.from < b.until && b.from < a.until;

export function createClosedDayCache(
  changes: Pick<UsageChanges, 'onAnywhere' | 'onMissed'>,
  maxBytes = DEFAULT_MAX_BYTES,
): ClosedDayCache {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: maxBytes,
    // The cache accepts whole sizes above 0 only.
    sizeCalculation: ({ bytes }) => Math.max(1, Math.ceil(bytes)),
  });
  const pending = new Set<PendingComputation>();
  function invalidate(isAffected: (entry: Pick<CacheEntry, 'account' | 'from' | 'until'>) => boolean): void {
    const affected = [...entries].filter(([, entry]) => isAffected(entry));
    for (const [key] of affected) entries.delete(key);
    for (const entry of pending) if (isAffected(entry)) entry.isStale = true;
  }
  // A start of focus soon after a change may now count as an opening, or not.
  changes.onAnywhere(({ account, from, until }) =>
    invalidate(
      (entry) => entry.account === account && isOverlapping(entry, { from, until: until + MIN_REOPEN_GAP_SECONDS }),
    ),
  );

  changes.onMissed(() => invalidate(() => true));

  return {
    getOrCompute: async <T>(
      account: number,
      { key, from, until }: CacheQuery,
      compute: () => Promise<Computed<T>>,
    ): Promise<T> => {
      const mapKey = `${account} ${key}`;
      const cached = entries.get(mapKey);
      if (cached) return cached.value as T;
      const computation: PendingComputation = { account, from, until, isStale: false };
      pending.add(computation);
      try {
        const computed = await compute();
        if (!computation.isStale) entries.set(mapKey, { ...computed, account, from, until });
        return computed.value;
      } finally {
        pending.delete(computation);
      }
    },
    clearAccount: (account) => invalidate((entry) => entry.account === account),
  };
}
