import { createKeyedQueue } from '#platform/contract/serialQueue.ts';

/** Runs work with the same key in order, one at a time. */
export interface WriteLocks {
  readonly take: <T>(of: string, work: () => Promise<T>) => Promise<T>;
}

/**
 * Creates the write locks. They work within one process, which is the only server of its database.
 * Without them, batches of one list would block all PostgreSQL connections, and events would lose their order.
 */
export function createWriteLocks(): WriteLocks {
  return { take: createKeyedQueue() };
}
/** Key for creating and counting the lists of an account. Take it before a list's lock, never after it. */
export function turnOfAccount(account: number): string {
  return `account ${account}`;
}
/** Key for all writes to one list. */
export function turnOf(list: number): string {
  return `list ${list}`;
}
