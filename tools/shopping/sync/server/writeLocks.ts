import { createKeyedQueue } from '#platform/contract/serialQueue.ts';

/** Locks that serialize writes within one process, which is the only server of its database. */
export interface WriteLocks {
  /** Runs `work` while nothing else runs for the same list. */
  readonly withList: <T>(list: number, work: () => Promise<T>) => Promise<T>;
  /**
   * Runs `work` while nothing else runs for the same account: it creates or counts its lists.
   * Take this lock before that of a list, never after it: the opposite order can deadlock.
   */
  readonly withAccount: <T>(account: number, work: () => Promise<T>) => Promise<T>;
}

/**
 * Creates the write locks.
 * Without them, batches of one list would block all PostgreSQL connections, and events would lose their order.
 */
export function createWriteLocks(): WriteLocks {
  const runSerially = createKeyedQueue();
  return {
    withList: (list, work) => runSerially(`list ${list}`, work),
    withAccount: (account, work) => runSerially(`account ${account}`, work),
  };
}
