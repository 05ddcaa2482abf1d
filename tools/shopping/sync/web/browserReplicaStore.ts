import type { DBSchema, IDBPDatabase } from 'idb';
import { openOfflineDatabase } from '#platform/web/app/offlineStorage.ts';
import type { List } from '../../lists/domain/list.ts';
import type { Replica } from '../domain/replica.ts';
import { createSummary, type ReplicaStore, type StoredReplica, type Menu, type Summary } from './persistedReplica.ts';

/** A replica without its base: it is small, and written with every change. */
interface Head {
  readonly replica: Omit<Replica, 'base'>;
  readonly summary: Summary;
  /** Ids of this version of the head and of its base. A tab that has the same version does not read it again. */
  readonly stamp: string;
  readonly baseStamp: string;
}

interface ReplicaDatabase extends DBSchema {
  heads: { key: string; value: Head };
  bases: { key: string; value: List };
  menu: { key: string; value: Menu };
  unsent: { key: string; value: number };
}

/** The version that this tab read or wrote last. */
interface CachedReplica {
  readonly stamp: string;
  readonly baseStamp: string;
  readonly replica: Replica;
}

const MENU_KEY = 'menu';

/** Creates a store of one account's lists in IndexedDB, which all tabs share. */
export function createBrowserReplicaStore(account: string): ReplicaStore {
  const databasePromise = openOfflineDatabase<ReplicaDatabase>(account, 'shopping', [
    'heads',
    'bases',
    'menu',
    'unsent',
  ]);
  const cache = new Map<string, CachedReplica>();
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(`pegboard.shopping.${account}`) : undefined;
  function notifyTabs(key: string | undefined): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    channel?.postMessage(key);
  }
  let stampCount = 0;
  const tabId = Math.random().toString(36).slice(2);
  const createStamp = (): string => `${tabId}.${(stampCount += 1)}`;

  async function toReplica(
    key: string,
    head: Head | undefined,
    readBase: () => Promise<List | undefined>,
  ): Promise<StoredReplica> {
    if (!head) return undefined;
    const cached = cache.get(key);
    if (cached?.stamp === head.stamp) return cached.replica;
    const base = cached?.baseStamp === head.baseStamp ? cached.replica.base : await readBase();
    return base && { ...head.replica, base };
  }

  async function changeReplica(
    database: IDBPDatabase<ReplicaDatabase>,
    key: string,
    change: (stored: StoredReplica) => StoredReplica,
  ): Promise<StoredReplica> {
    const transaction = database.transaction(['heads', 'bases', 'unsent'], 'readwrite');
    const [heads, bases, unsent] = [
      transaction.objectStore('heads'),
      transaction.objectStore('bases'),
      transaction.objectStore('unsent'),
    ];
    const head = await heads.get(key);
    const before = await toReplica(key, head, () => bases.get(key));
    const after = change(before);
    if (after === before) {
      await transaction.done;
      if (head && after) cache.set(key, { stamp: head.stamp, baseStamp: head.baseStamp, replica: after });
      return after;
    }
    if (!after) {
      await Promise.all([heads.delete(key), bases.delete(key), unsent.delete(key), transaction.done]);
      cache.delete(key);
    } else {
      const { base, ...replica } = after;
      const isNewBase = !head || base !== before?.base;
      const [stamp, baseStamp] = [createStamp(), isNewBase ? createStamp() : head.baseStamp];
      const summary = createSummary(key, after);
      await Promise.all([
        ...(isNewBase ? [bases.put(base, key)] : []),
        heads.put({ replica, summary, stamp, baseStamp }, key),
        summary.unsent > 0 ? unsent.put(summary.unsent, key) : unsent.delete(key),
        transaction.done,
      ]);
      cache.set(key, { stamp, baseStamp, replica: after });
    }
    notifyTabs(key);
    return after;
  }

  return {
    isReady: databasePromise.then(
      () => true,
      () => false,
    ),
    listSummaries: async () => (await (await databasePromise).getAll('heads')).map(({ summary }) => summary),
    read: async (key) => {
      const transaction = (await databasePromise).transaction(['heads', 'bases']);
      const readBase = (): Promise<List | undefined> => transaction.objectStore('bases').get(key);
      // The first read requests base and head together, as no cached base can be reused.
      const basePromise = cache.has(key) ? undefined : readBase();
      const head = await transaction.objectStore('heads').get(key);
      const replica = await toReplica(key, head, () => basePromise ?? readBase());
      if (head && replica) cache.set(key, { stamp: head.stamp, baseStamp: head.baseStamp, replica });
      return replica;
    },
    change: async (key, change) => changeReplica(await databasePromise, key, change),
    readMenu: async () => (await databasePromise).get('menu', MENU_KEY),
    writeMenu: async (menu) => {
      await (await databasePromise).put('menu', menu, MENU_KEY);
      notifyTabs(undefined);
    },
    onChange: (listener) => {
      const handleMessage = ({ data }: MessageEvent<unknown>): void =>
        listener(typeof data === 'string' ? data : undefined);
      channel?.addEventListener('message', handleMessage);
      return () => channel?.removeEventListener('message', handleMessage);
    },
    close: () => {
      channel?.close();
      void databasePromise.then((database) => database.close()).catch(() => undefined);
    },
  };
}
