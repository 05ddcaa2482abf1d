import type { DBSchema, IDBPDatabase } from 'idb';
import { openOfflineDatabase } from '#platform/web/app/offline.ts';
import type { List } from '../../lists/domain/list.ts';
import type { Replica } from '../domain/replica.ts';
import { createSummary, type ReplicaStore, type StoredReplica, type Menu, type Summary } from './persistedReplica.ts';

/** A replica without its base: small, and written with every change. */
interface Head {
  readonly replica: Omit<Replica, 'base'>;
  readonly summary: Summary;
  /** Identify this head and its base. What a tab already has under the same stamp need not be read. */
  readonly stamp: string;
  readonly baseStamp: string;
}

interface Stores extends DBSchema {
  heads: { key: string; value: Head };
  bases: { key: string; value: List };
  menu: { key: string; value: Menu };
  unsent: { key: string; value: number };
}

/** What this tab read or wrote last. */
interface LastSeenReplica {
  readonly stamp: string;
  readonly baseStamp: string;
  readonly replica: Replica;
}

const MENU = 'menu';

/** Stores the lists of one account in IndexedDB, shared by all tabs. */
export function createBrowserReplicaStore(account: string): ReplicaStore {
  const opened = openOfflineDatabase<Stores>(account, 'shopping', ['heads', 'bases', 'menu', 'unsent']);
  const lastSeen = new Map<string, LastSeenReplica>();
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(`pegboard.shopping.${account}`) : undefined;
  const notifyTabs = (key: string | undefined): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    channel?.postMessage(key);
  };
  let stamps = 0;
  const tab = Math.random().toString(36).slice(2);
  const newStamp = (): string => `${tab}.${(stamps += 1)}`;

  const toReplica = async (
    key: string,
    head: Head | undefined,
    readBase: () => Promise<List | undefined>,
  ): Promise<StoredReplica> => {
    if (!head) return undefined;
    const last = lastSeen.get(key);
    if (last?.stamp === head.stamp) return last.replica;
    const base = last?.baseStamp === head.baseStamp ? last.replica.base : await readBase();
    return base && { ...head.replica, base };
  };

  const put = async (
    database: IDBPDatabase<Stores>,
    key: string,
    change: (stored: StoredReplica) => StoredReplica,
  ): Promise<StoredReplica> => {
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
      if (head && after) lastSeen.set(key, { stamp: head.stamp, baseStamp: head.baseStamp, replica: after });
      return after;
    }
    if (!after) {
      await Promise.all([heads.delete(key), bases.delete(key), unsent.delete(key), transaction.done]);
      lastSeen.delete(key);
    } else {
      const { base, ...replica } = after;
      const isNewBase = !head || base !== before?.base;
      const [stamp, baseStamp] = [newStamp(), isNewBase ? newStamp() : head.baseStamp];
      const summary = createSummary(key, after);
      await Promise.all([
        ...(isNewBase ? [bases.put(base, key)] : []),
        heads.put({ replica, summary, stamp, baseStamp }, key),
        summary.unsent > 0 ? unsent.put(summary.unsent, key) : unsent.delete(key),
        transaction.done,
      ]);
      lastSeen.set(key, { stamp, baseStamp, replica: after });
    }
    notifyTabs(key);
    return after;
  };

  return {
    isReady: opened.then(
      () => true,
      () => false,
    ),
    listSummaries: async () => (await (await opened).getAll('heads')).map(({ summary }) => summary),
    read: async (key) => {
      const transaction = (await opened).transaction(['heads', 'bases']);
      const readBase = (): Promise<List | undefined> => transaction.objectStore('bases').get(key);
      // On the first read, base and head are requested together; nothing cached could spare the base.
      const first = lastSeen.has(key) ? undefined : readBase();
      const head = await transaction.objectStore('heads').get(key);
      const replica = await toReplica(key, head, () => first ?? readBase());
      if (head && replica) lastSeen.set(key, { stamp: head.stamp, baseStamp: head.baseStamp, replica });
      return replica;
    },
    change: async (key, change) => put(await opened, key, change),
    readMenu: async () => (await opened).get('menu', MENU),
    writeMenu: async (menu) => {
      await (await opened).put('menu', menu, MENU);
      notifyTabs(undefined);
    },
    onChange: (then) => {
      const onMessage = ({ data }: MessageEvent<unknown>): void => then(typeof data === 'string' ? data : undefined);
      channel?.addEventListener('message', onMessage);
      return () => channel?.removeEventListener('message', onMessage);
    },
    close: () => {
      channel?.close();
      void opened.then((database) => database.close()).catch(() => undefined);
    },
  };
}
