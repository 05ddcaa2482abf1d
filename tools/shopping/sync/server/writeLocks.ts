import { createSerialQueue } from '#platform/server/schedule/serialQueue.ts';

/** Lets what is done to one thing be done one after the other, in the order in which it was asked for. */
export interface WriteLocks {
  readonly take: <T>(of: string, work: () => Promise<T>) => Promise<T>;
}

/**
 * Turns within this server, which is the only one of its database. They keep twenty batches of one list from taking all connections to
 * PostgreSQL, where nineteen would wait for the first, and tell pages of batches in the order of their revisions.
 */
export function createWriteLocks(): WriteLocks {
  return { take: createSerialQueue() };
}
/** Of what one account does with how many lists it has. Taken before a list's turn, never after it. */
export function turnOfAccount(account: number): string {
  return `account ${account}`;
}
export function turnOf(list: number): string {
  return `list ${list}`;
}
