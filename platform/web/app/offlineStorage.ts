import { openDB, type DBSchema, type IDBPDatabase, type StoreNames } from 'idb';
import { browserStorage } from '../browser/browserStorage.ts';
import { session } from './session.ts';
import { fingerprintToken } from './tabOwner.ts';

/** A store of every offline database: number of changes that the server does not have, by key of the changed item. */
interface UnsentCounts extends DBSchema {
  unsent: { key: string; value: number };
}

const DATABASE_PREFIX = 'pegboard:';
const getDatabaseName = (account: string, subject: string): string =>
  `${DATABASE_PREFIX}${encodeURIComponent(account)}:${subject}`;

/** Some browsers neither open a database nor report an error. */
const TIMEOUT_MS = 5000;

const withTimeout = <T>(promise: Promise<T>): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('The browser does not open its store')), TIMEOUT_MS);
    }),
  ]);

/**
 * Opens the offline database of one account and subject. A logout closes and deletes it.
 * @throws if the browser does not provide databases.
 */
export async function openOfflineDatabase<Stores extends UnsentCounts>(
  account: string,
  subject: string,
  stores: readonly StoreNames<Stores>[],
): Promise<IDBPDatabase<Stores>> {
  const opening = openDB<Stores>(getDatabaseName(account, subject), 1, {
    upgrade: (database) => {
      for (const store of stores) database.createObjectStore(store);
    },
    blocking: (_current, _blocked, event) => (event.target as unknown as IDBDatabase).close(),
  });
  return withTimeout(opening);
}

async function listDatabases(account: string): Promise<readonly string[]> {
  const databases = await withTimeout(indexedDB.databases());
  return databases.flatMap(({ name }) => (name?.startsWith(getDatabaseName(account, '')) === true ? [name] : []));
}

async function countUnsent(name: string): Promise<number> {
  const database = await withTimeout(openDB<UnsentCounts>(name));
  try {
    return (await database.getAll('unsent')).reduce((sum, count) => sum + count, 0);
  } finally {
    database.close();
  }
}

const deleteDatabase = (name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('success', () => resolve());
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser keeps its store')));
  });

/**
 * Storage key of the account that a token belongs to, so that an offline page knows which database to open. It contains
 * a fingerprint, not the token.
 */
const OWNER_KEY = 'offline.owner';

/** Counters of changes that exist only in an open page. */
const unstoredCounters = new Set<() => number>();

export const offlineStorage = {
  /** Returns the account of this page, as far as it is known without a connection. */
  getAccount: (): string | undefined => {
    const current = session.getCurrent();
    if (!current || current.username !== '') return current?.username;
    const [fingerprint, ...name] = (browserStorage.get(OWNER_KEY) ?? '').split(' ');
    return fingerprint === fingerprintToken(current.token) ? name.join(' ') : undefined;
  },
  /** Stores the account of this page for the next load, which may be offline. */
  setAccount: (): void => {
    const current = session.getCurrent();
    if (!current || current.username === '') return;
    const owner = `${fingerprintToken(current.token)} ${current.username}`;
    if (browserStorage.get(OWNER_KEY) !== owner) browserStorage.set(OWNER_KEY, owner);
  },
  /** Counts changes of this account that exist only in this browser. */
  countUnsent: async (account: string): Promise<number> => {
    const unstored = [...unstoredCounters].reduce((sum, count) => sum + count(), 0);
    try {
      const counts = await Promise.all((await listDatabases(account)).map(countUnsent));
      return Math.max(
        unstored,
        counts.reduce((sum, count) => sum + count, 0),
      );
    } catch {
      return unstored; // no databases, so nothing is stored
    }
  },
  /** Adds a counter of changes that a page can't store. Returns a function that removes it. */
  addCounter: (count: () => number): (() => void) => {
    unstoredCounters.add(count);
    return () => unstoredCounters.delete(count);
  },
  /** Removes all offline data of this account from this browser. */
  removeAccount: async (account: string): Promise<void> => {
    browserStorage.set(OWNER_KEY, '');
    try {
      await Promise.all((await listDatabases(account)).map(deleteDatabase));
    } catch {
      // no databases, so nothing is stored
    }
  },
};
