import { openDB, type DBSchema, type IDBPDatabase, type StoreNames } from 'idb';
import { browserStorage } from '../browser/browserStorage.ts';
import { session } from './session.ts';
import { fingerprintToken } from './tabOwner.ts';

/** What every database of an account has besides its own stores: how many changes the server has not got, by the thing they are of. */
interface UnsentCounts extends DBSchema {
  unsent: { key: string; value: number };
}

const PREFIX = 'pegboard:';
const getDatabaseName = (account: string, room: string): string => `${PREFIX}${encodeURIComponent(account)}:${room}`;

/** A browser that neither opens a database nor says why is not waited for longer. */
const TIMEOUT_MS = 5000;

const withTimeout = <T>(promise: Promise<T>): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_, fail) => {
      setTimeout(() => fail(new Error('The browser does not open its store')), TIMEOUT_MS);
    }),
  ]);

/**
 * A database of this browser for one room of one account, for what works with no line. It goes when that account logs out here; whoever has it
 * open then finds it closed. Rejects where the browser gives none.
 */
export async function openOfflineDatabase<Stores extends UnsentCounts>(
  account: string,
  room: string,
  stores: readonly StoreNames<Stores>[],
): Promise<IDBPDatabase<Stores>> {
  const opening = openDB<Stores>(getDatabaseName(account, room), 1, {
    upgrade: (database) => {
      for (const store of stores) database.createObjectStore(store);
    },
    blocking: (_current, _blocked, event) => (event.target as unknown as IDBDatabase).close(),
  });
  return withTimeout(opening);
}

const listDatabases = async (account: string): Promise<readonly string[]> => {
  const all = await withTimeout(indexedDB.databases());
  return all.flatMap(({ name }) => (name?.startsWith(getDatabaseName(account, '')) === true ? [name] : []));
};

const countUnsent = async (name: string): Promise<number> => {
  const database = await withTimeout(openDB<UnsentCounts>(name));
  try {
    return (await database.getAll('unsent')).reduce((sum, each) => sum + each, 0);
  } finally {
    database.close();
  }
};

const deleteDatabase = (name: string): Promise<void> =>
  new Promise((done, fail) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('success', () => done());
    request.addEventListener('error', () => fail(request.error ?? new Error('The browser keeps its store')));
  });

/** Which account a token is of, so that a page that opens with no line knows whose store to open. A few digits of the token, not itself. */
const OWNER_KEY = 'offline.owner';

/** Changes that only an open page has: its browser keeps none. */
const unstoredCounters = new Set<() => number>();

export const offlineStorage = {
  /** Whose this page is, as far as it is known with no line. */
  getAccount: (): string | undefined => {
    const current = session.getCurrent();
    if (!current || current.username !== '') return current?.username;
    const [print, ...name] = (browserStorage.get(OWNER_KEY) ?? '').split(' ');
    return print === fingerprintToken(current.token) ? name.join(' ') : undefined;
  },
  /** Notes whose this page is for the next time, which may be with no line. */
  setAccount: (): void => {
    const current = session.getCurrent();
    if (!current || current.username === '') return;
    const owner = `${fingerprintToken(current.token)} ${current.username}`;
    if (browserStorage.get(OWNER_KEY) !== owner) browserStorage.set(OWNER_KEY, owner);
  },
  /** How many changes of this account are in this browser alone. */
  countUnsent: async (account: string): Promise<number> => {
    const here = [...unstoredCounters].reduce((sum, count) => sum + count(), 0);
    try {
      const counts = await Promise.all((await listDatabases(account)).map(countUnsent));
      return Math.max(
        here,
        counts.reduce((sum, count) => sum + count, 0),
      );
    } catch {
      return here; // no store, nothing in it
    }
  },
  /** Counts what a page has and cannot keep. Gives back how to stop. */
  addCounter: (count: () => number): (() => void) => {
    unstoredCounters.add(count);
    return () => unstoredCounters.delete(count);
  },
  /** Nothing of this account stays in this browser. */
  removeAccount: async (account: string): Promise<void> => {
    browserStorage.set(OWNER_KEY, '');
    try {
      await Promise.all((await listDatabases(account)).map(deleteDatabase));
    } catch {
      // no store, nothing in it
    }
  },
};
