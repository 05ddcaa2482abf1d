import type { Database } from '#platform/server/database/database.ts';
import { createListStore, createMemberStore } from '../lists/server/listStore.ts';
import { createNameStore } from '../lists/server/nameStore.ts';
import { createBatchStore } from '../sync/server/batchStore.ts';
import { createWriteLocks } from '../sync/server/modifyHandler.ts';
import { createStateStore, createTombstoneStore } from '../sync/server/stateStore.ts';

/** Creates all stores of the shopping planner. */
export function createStores(database: Database) {
  return {
    lists: createListStore(database),
    members: createMemberStore(database),
    states: createStateStore(database),
    tombstones: createTombstoneStore(database),
    batches: createBatchStore(database),
    names: createNameStore(database),
    /** Serialize the writes to one list. */
    locks: createWriteLocks(database),
  };
}
export type Stores = ReturnType<typeof createStores>;
