import type { GlobalItem } from '../../lists/domain/itemNames.ts';
import { countUnsent, getVisibleList, type Replica } from '../domain/replica.ts';

/** Content of the menu, as the server last sent it. */
export interface Menu {
  readonly lists: readonly {
    readonly id: number;
    readonly name: string;
    readonly owner?: string | undefined;
    readonly members: number;
    readonly archived: boolean;
  }[];
  readonly invitations: readonly { readonly id: number; readonly name: string; readonly from: string }[];
  readonly deleted: readonly { readonly id: number; readonly name: string }[];
  readonly globalItems: readonly GlobalItem[];
}

/** What the menu needs to know of a stored list without opening it. */
export interface Summary {
  readonly key: string;
  /** The server's id; undefined until the list is created. */
  readonly list: number | undefined;
  readonly name: string;
  readonly unsent: number;
}

export function createSummary(key: string, replica: Replica): Summary {
  return {
    key,
    list: replica.list,
    name: getVisibleList(replica).name,
    unsent: countUnsent(replica),
  };
}

export type StoredReplica = Replica | undefined;

/** Replicas of one account in this browser. All tabs share them, so a change is a function of the stored replica. */
export interface ReplicaStore {
  readonly summaries: () => Promise<readonly Summary[]>;
  readonly read: (key: string) => Promise<StoredReplica>;
  /**
   * Reads, changes and writes atomically; undefined removes the replica.
   * Returns what is stored, rejects if writing fails.
   */
  readonly change: (key: string, change: (stored: StoredReplica) => StoredReplica) => Promise<StoredReplica>;
  readonly readMenu: () => Promise<Menu | undefined>;
  readonly writeMenu: (menu: Menu) => Promise<void>;
  /**
   * Calls back when another tab changes a list (its key) or the menu (undefined). Returns a function that unsubscribes.
   */
  readonly onChange: (then: (key: string | undefined) => void) => () => void;
  /** Whether stored data outlives the page; resolves when the store is open. */
  readonly isReady: Promise<boolean>;
  readonly close: () => void;
}

/** Replaces the browser's database if it is not available: lasts as long as the page, and other tabs don't see it. */
export function createMemoryReplicaStore(): ReplicaStore {
  const replicas = new Map<string, Replica>();
  let menu: Menu | undefined;
  return {
    isReady: Promise.resolve(false),
    close: () => undefined,
    summaries: async () => [...replicas].map(([key, replica]) => createSummary(key, replica)),
    read: async (key) => replicas.get(key),
    change: async (key, change) => {
      const next = change(replicas.get(key));
      if (next) replicas.set(key, next);
      else replicas.delete(key);
      return next;
    },
    readMenu: async () => menu,
    writeMenu: async (next) => void (menu = next),
    onChange: () => () => undefined,
  };
}
