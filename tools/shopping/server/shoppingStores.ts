import type { Database } from '#platform/server/database/database.ts';
import { listStore, memberStore } from '../lists/server/listStore.ts';
import { nameStore } from '../lists/server/nameStore.ts';
import { batchStore } from '../sync/server/batchStore.ts';
import { stateStore, tombstoneStore } from '../sync/server/stateStore.ts';
import { createWriteLocks } from '../sync/server/writeLocks.ts';

export function createStores(database: Database) {
  return {
    lists: listStore(database),
    members: memberStore(database),
    states: stateStore(database),
    tombstones: tombstoneStore(database),
    batches: batchStore(database),
    names: nameStore(database),
    /** At each list: all that writes to it takes its turn first. */
    turns: createWriteLocks(),
  };
}
export type Stores = ReturnType<typeof createStores>;
