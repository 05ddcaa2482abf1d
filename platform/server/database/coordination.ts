import type { Kysely } from 'kysely';

/** Coordinates the instances that share a database. */
export interface Coordination {
  /** Whether other instances may use the database too. */
  readonly isShared: boolean;
  /** Whether this instance does the work that only one may do. Always true if it is alone. */
  readonly isLeader: () => boolean;
  /** Notifies the other instances with the commit of `tx`. At most 7 KB of JSON. */
  readonly notify: (tx: Kysely<unknown>, topic: string, data: unknown) => Promise<void>;
  readonly onNotification: (topic: string, listener: (data: unknown) => void) => void;
  /** Called when notifications may have been lost, so that caches must be emptied. */
  readonly onInterruption: (listener: () => void) => void;
  /** Runs work when no other instance runs work of this name. Within an instance, order it with a `KeyedQueue`. */
  readonly runAlone: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** @throws Refusal if other instances are running. Call it before a change that they would not understand. */
  readonly assertAlone: () => Promise<void>;
  /** Lets other instances start. Call it after the migrations. */
  readonly finishStartup: () => Promise<void>;
}

/** Coordination of a server that is alone on its database. */
export const aloneOnDatabase: Coordination = {
  isShared: false,
  isLeader: () => true,
  notify: async () => undefined,
  onNotification: () => undefined,
  onInterruption: () => undefined,
  runAlone: (_name, work) => work(),
  assertAlone: async () => undefined,
  finishStartup: async () => undefined,
};
