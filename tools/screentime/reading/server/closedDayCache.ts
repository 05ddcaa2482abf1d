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
  readonly of: <T>(account: number, about: CacheEntryRange, make: () => Promise<Computed<T>>) => Promise<T>;
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
  /** Least recently used first. */
  const entries = new Map<string, Entry>();
  const pending = new Set<PendingComputation>();
  let bytes = 0;
  const drop = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  const store = (key: string, entry: Entry): void => {
    drop(key);
    entries.set(key, entry);
    bytes += entry.bytes;
    for (const [oldest] of entries) {
      if (bytes <= mostBytes) break;
      drop(oldest);
    }
  };
  const dropWhere = (isGone: (one: Pick<Entry, 'account' | 'from' | 'until'>) => boolean): void => {
    for (const [key, entry] of entries) if (isGone(entry)) drop(key);
    for (const one of pending) if (isGone(one)) one.isStale = true;
  };
  // A start of focus soon after a change may now count as an opening, or not.
  changes.on(({ account, from, until }) =>
    dropWhere((one) => one.account === account && overlap(one, { from, until: until + OPENED_AFTER })),
  );

  return {
    of: async <T>(
      account: number,
      { name, from, until }: CacheEntryRange,
      make: () => Promise<Computed<T>>,
    ): Promise<T> => {
      const key = `${account} ${name}`;
      const cached = entries.get(key);
      if (cached) {
        // Moves it to the end, as the most recently used.
        entries.delete(key);
        entries.set(key, cached);
        return cached.value as T;
      }
      const own: PendingComputation = { account, from, until, isStale: false };
      pending.add(own);
      try {
        const computed = await make();
        if (!own.isStale) store(key, { ...computed, account, from, until });
        return computed.value;
      } finally {
        pending.delete(own);
      }
    },
    forget: (account) => dropWhere((one) => one.account === account),
  };
}
