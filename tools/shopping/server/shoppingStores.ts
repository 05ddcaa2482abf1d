import type { Database } from '#platform/server/database/database.ts';
import { listStore, memberStore } from '../lists/server/listStore.ts';
import { nameStore } from '../lists/server/nameStore.ts';
import { batchStore } from '../sync/server/batchStore.ts';
import { createWriteLocks } from '../sync/server/modifyHandler.ts';
import { stateStore, tombstoneStore } from '../sync/server/stateStore.ts';

/** Creates all stores of the shopping planner. */
export function createStores(database: Database) {
  return {
    lists: listStore(database),
    members: memberStore(database),
    states: stateStore(database),
    tombstones: tombstoneStore(database),
    batches: batchStore(database),
    names: nameStore(database),
    /** Orders all writes to one list. */
    locks: createWriteLocks(),
  };
}
export type Stores = ReturnType<typeof createStores>;
