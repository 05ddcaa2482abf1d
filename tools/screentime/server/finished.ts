import { OPENED_AFTER } from '../domain/recount.ts';
import type { Span } from '../domain/segment.ts';
import type { UsageChanges } from './changes.ts';

/** In all; by how large their makers say that they are. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What was worked out of days that are over: they hardly ever change, and are asked for again and again. */
export interface Finished {
  /**
   * What was worked out for an account under this name, else what `make` works out now. A change of its usage between `from` and `until`
   * (seconds since the epoch) makes it forgotten, also while it is being made.
   */
  readonly of: <T>(account: number, about: About, make: () => Promise<Made<T>>) => Promise<T>;
  readonly forget: (account: number) => void;
}

interface About extends Span {
  /** Tells also what is asked: two with the same name are the same thing. */
  readonly name: string;
}

interface Made<T> {
  readonly value: T;
  /** About as much memory. */
  readonly bytes: number;
}

interface Entry extends Span, Made<unknown> {
  readonly account: number;
}

/** Under way: `isStale` once its days were changed meanwhile. */
interface Making extends Span {
  readonly account: number;
  isStale: boolean;
}

const overlap = (one: Span, other: Span): boolean => one.from < other.until && other.from < one.until;

export const makeFinished = (changes: Pick<UsageChanges, 'on'>, mostBytes = MOST_BYTES): Finished => {
  /** The longest unused first. */
  const kept = new Map<string, Entry>();
  const making = new Set<Making>();
  let bytes = 0;
  const drop = (key: string): void => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, entry: Entry): void => {
    drop(key);
    kept.set(key, entry);
    bytes += entry.bytes;
    for (const [oldest] of kept) {
      if (bytes <= mostBytes) break;
      drop(oldest);
    }
  };
  const dropWhere = (isGone: (one: Pick<Entry, 'account' | 'from' | 'until'>) => boolean): void => {
    for (const [key, entry] of kept) if (isGone(entry)) drop(key);
    for (const one of making) if (isGone(one)) one.isStale = true;
  };
  // A beginning soon behind a change may now be none that counts.
  changes.on(({ account, from, until }) =>
    dropWhere((one) => one.account === account && overlap(one, { from, until: until + OPENED_AFTER })),
  );

  return {
    of: async <T>(account: number, { name, from, until }: About, make: () => Promise<Made<T>>): Promise<T> => {
      const key = `${account} ${name}`;
      const found = kept.get(key);
      if (found) {
        // The newest used is the last.
        kept.delete(key);
        kept.set(key, found);
        return found.value as T;
      }
      const own: Making = { account, from, until, isStale: false };
      making.add(own);
      try {
        const made = await make();
        if (!own.isStale) keep(key, { ...made, account, from, until });
        return made.value;
      } finally {
        making.delete(own);
      }
    },
    forget: (account) => dropWhere((one) => one.account === account),
  };
};
