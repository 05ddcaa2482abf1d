import { openDB, type DBSchema, type IDBPDatabase, type StoreNames } from 'idb';
import { remember } from './remember.ts';
import { session } from './session.ts';
import { printOf } from './tokenPrint.ts';

/** What every database of an account has besides its own stores: how many changes the server has not got, by the thing they are of. */
interface Unsent extends DBSchema {
  unsent: { key: string; value: number };
}

const PREFIX = 'pegboard:';
const nameOf = (account: string, room: string): string => `${PREFIX}${encodeURIComponent(account)}:${room}`;

/** A browser that neither opens a database nor says why is not waited for longer. */
const PATIENCE_MS = 5000;

const inTime = <T>(promise: Promise<T>): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_, fail) => {
      setTimeout(() => fail(new Error('The browser does not open its store')), PATIENCE_MS);
    }),
  ]);

/**
 * A database of this browser for one room of one account, for what works with no line. It goes when that account logs out here; whoever has it
 * open then finds it closed. Rejects where the browser gives none.
 */
export const openOffline = async <Stores extends Unsent>(
  account: string,
  room: string,
  stores: readonly StoreNames<Stores>[],
): Promise<IDBPDatabase<Stores>> => {
  const opening = openDB<Stores>(nameOf(account, room), 1, {
    upgrade: (database) => {
      for (const store of stores) database.createObjectStore(store);
    },
    blocking: (_current, _blocked, event) => (event.target as unknown as IDBDatabase).close(),
  });
  return inTime(opening);
};

const databasesOf = async (account: string): Promise<readonly string[]> => {
  const all = await inTime(indexedDB.databases());
  return all.flatMap(({ name }) => (name?.startsWith(nameOf(account, '')) === true ? [name] : []));
};

const countIn = async (name: string): Promise<number> => {
  const database = await inTime(openDB<Unsent>(name));
  try {
    return (await database.getAll('unsent')).reduce((sum, each) => sum + each, 0);
  } finally {
    database.close();
  }
};

const deleted = (name: string): Promise<void> =>
  new Promise((done, fail) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('success', () => done());
    request.addEventListener('error', () => fail(request.error ?? new Error('The browser keeps its store')));
  });

/** Which account a token is of, so that a page that opens with no line knows whose store to open. A few digits of the token, not itself. */
const OWNER = 'offline.owner';

/** Changes that only an open page has: its browser keeps none. */
const onlyHere = new Set<() => number>();

export const offline = {
  /** Whose this page is, as far as it is known with no line. */
  account: (): string | undefined => {
    const current = session.current();
    if (!current || current.username !== '') return current?.username;
    const [print, ...name] = (remember.get(OWNER) ?? '').split(' ');
    return print === printOf(current.token) ? name.join(' ') : undefined;
  },
  /** Notes whose this page is for the next time, which may be with no line. */
  noteAccount: (): void => {
    const current = session.current();
    if (!current || current.username === '') return;
    const owner = `${printOf(current.token)} ${current.username}`;
    if (remember.get(OWNER) !== owner) remember.set(OWNER, owner);
  },
  /** How many changes of this account are in this browser alone. */
  unsent: async (account: string): Promise<number> => {
    const here = [...onlyHere].reduce((sum, count) => sum + count(), 0);
    try {
      const counts = await Promise.all((await databasesOf(account)).map(countIn));
      return Math.max(
        here,
        counts.reduce((sum, count) => sum + count, 0),
      );
    } catch {
      return here; // no store, nothing in it
    }
  },
  /** Counts what a page has and cannot keep. Gives back how to stop. */
  counts: (count: () => number): (() => void) => {
    onlyHere.add(count);
    return () => onlyHere.delete(count);
  },
  /** Nothing of this account stays in this browser. */
  forget: async (account: string): Promise<void> => {
    remember.set(OWNER, '');
    try {
      await Promise.all((await databasesOf(account)).map(deleted));
    } catch {
      // no store, nothing in it
    }
  },
};
