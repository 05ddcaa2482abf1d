import type { DBSchema, IDBPDatabase } from 'idb';
import { openOfflineDatabase } from '#platform/web/app/offline.ts';
import type { List } from '../../lists/domain/list.ts';
import type { Replica } from '../domain/replica.ts';
import { summaryOf, type ReplicaStore, type StoredReplica, type Menu, type Summary } from './replicaStore.ts';

/** A replica without its base: small, and written with every change. */
interface Head {
  readonly replica: Omit<Replica, 'base'>;
  readonly summary: Summary;
  /** Of this very head, and of the base that belongs to it: what is known by them need not be read. */
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

/** One account's lists in the browser's own database, shared by all its tabs. */
export function createBrowserReplicaStore(account: string): ReplicaStore {
  const opened = openOfflineDatabase<Stores>(account, 'shopping', ['heads', 'bases', 'menu', 'unsent']);
  const known = new Map<string, LastSeenReplica>();
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(`pegboard.shopping.${account}`) : undefined;
  const tellTabs = (key: string | undefined): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    channel?.postMessage(key);
  };
  let stamps = 0;
  const tab = Math.random().toString(36).slice(2);
  const newStamp = (): string => `${tab}.${(stamps += 1)}`;

  const replicaIn = async (
    key: string,
    head: Head | undefined,
    readBase: () => Promise<List | undefined>,
  ): Promise<StoredReplica> => {
    if (!head) return undefined;
    const last = known.get(key);
    if (last?.stamp === head.stamp) return last.replica;
    const base = last?.baseStamp === head.baseStamp ? last.replica.base : await readBase();
    return base && { ...head.replica, base };
  };

  const put = async (
    database: IDBPDatabase<Stores>,
    key: string,
    change: (kept: StoredReplica) => StoredReplica,
  ): Promise<StoredReplica> => {
    const writing = database.transaction(['heads', 'bases', 'unsent'], 'readwrite');
    const [heads, bases, unsent] = [
      writing.objectStore('heads'),
      writing.objectStore('bases'),
      writing.objectStore('unsent'),
    ];
    const head = await heads.get(key);
    const before = await replicaIn(key, head, () => bases.get(key));
    const after = change(before);
    if (after === before) {
      await writing.done;
      if (head && after) known.set(key, { stamp: head.stamp, baseStamp: head.baseStamp, replica: after });
      return after;
    }
    if (!after) {
      await Promise.all([heads.delete(key), bases.delete(key), unsent.delete(key), writing.done]);
      known.delete(key);
    } else {
      const { base, ...replica } = after;
      const isNewBase = !head || base !== before?.base;
      const [stamp, baseStamp] = [newStamp(), isNewBase ? newStamp() : head.baseStamp];
      const summary = summaryOf(key, after);
      await Promise.all([
        ...(isNewBase ? [bases.put(base, key)] : []),
        heads.put({ replica, summary, stamp, baseStamp }, key),
        summary.unsent > 0 ? unsent.put(summary.unsent, key) : unsent.delete(key),
        writing.done,
      ]);
      known.set(key, { stamp, baseStamp, replica: after });
    }
    tellTabs(key);
    return after;
  };

  return {
    isReady: opened.then(
      () => true,
      () => false,
    ),
    summaries: async () => (await (await opened).getAll('heads')).map(({ summary }) => summary),
    read: async (key) => {
      const reading = (await opened).transaction(['heads', 'bases']);
      const ask = (): Promise<List | undefined> => reading.objectStore('bases').get(key);
      // The first time both are asked for at once: nothing is known that might spare the base.
      const first = known.has(key) ? undefined : ask();
      const head = await reading.objectStore('heads').get(key);
      const replica = await replicaIn(key, head, () => first ?? ask());
      if (head && replica) known.set(key, { stamp: head.stamp, baseStamp: head.baseStamp, replica });
      return replica;
    },
    change: async (key, change) => put(await opened, key, change),
    readMenu: async () => (await opened).get('menu', MENU),
    writeMenu: async (menu) => {
      await (await opened).put('menu', menu, MENU);
      tellTabs(undefined);
    },
    onChange: (then) => {
      const hear = ({ data }: MessageEvent<unknown>): void => then(typeof data === 'string' ? data : undefined);
      channel?.addEventListener('message', hear);
      return () => channel?.removeEventListener('message', hear);
    },
    close: () => {
      channel?.close();
      void opened.then((database) => database.close()).catch(() => undefined);
    },
  };
}
