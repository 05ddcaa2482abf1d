import type { GlobalItem } from '../../lists/domain/itemNames.ts';
import { unsent, view, type Replica } from '../domain/replica.ts';

/** What the menu shows, as the server last told it. */
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

/** What is known of a kept list without opening it. */
export interface Summary {
  readonly key: string;
  /** The server's id; undefined while the list is to be made. */
  readonly list: number | undefined;
  readonly name: string;
  readonly unsent: number;
}

export function summaryOf(key: string, replica: Replica): Summary {
  return {
    key,
    list: replica.list,
    name: view(replica).name,
    unsent: unsent(replica),
  };
}

export type StoredReplica = Replica | undefined;

/** One account's lists in this browser. All tabs share them, so everything that changes one is a function of what is kept at that moment. */
export interface ReplicaStore {
  readonly summaries: () => Promise<readonly Summary[]>;
  readonly read: (key: string) => Promise<StoredReplica>;
  /** Reads, changes and writes at once; undefined takes it out. Gives what is kept then. Rejects where it cannot be written. */
  readonly change: (key: string, change: (kept: StoredReplica) => StoredReplica) => Promise<StoredReplica>;
  readonly readMenu: () => Promise<Menu | undefined>;
  readonly writeMenu: (menu: Menu) => Promise<void>;
  /** Runs where another tab changed a list (its key) or the menu (undefined). Gives back how to stop listening. */
  readonly onChange: (then: (key: string | undefined) => void) => () => void;
  /** Whether it lasts longer than the page: known once it is opened. */
  readonly isReady: Promise<boolean>;
  readonly close: () => void;
}

/** In place of a store that the browser does not give: lasts as long as the page, and no other tab sees it. */
export function createMemoryReplicaStore(): ReplicaStore {
  const replicas = new Map<string, Replica>();
  let menu: Menu | undefined;
  return {
    isReady: Promise.resolve(false),
    close: () => undefined,
    summaries: async () => [...replicas].map(([key, replica]) => summaryOf(key, replica)),
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
