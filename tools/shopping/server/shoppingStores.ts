import type { Database } from '#platform/server/database/database.ts';
import { listStore } from '../lists/server/listStore.ts';
import { memberStore } from '../lists/server/members.ts';
import { nameStore } from '../lists/server/nameStore.ts';
import { batchStore } from '../sync/server/batchStore.ts';
import { stateStore } from '../sync/server/stateStore.ts';
import { tombstoneStore } from '../sync/server/tombstones.ts';
import { createWriteLocks } from '../sync/server/writeLocks.ts';

export const createStores = (database: Database) => ({
  lists: listStore(database),
  members: memberStore(database),
  states: stateStore(database),
  tombstones: tombstoneStore(database),
  batches: batchStore(database),
  names: nameStore(database),
  /** At each list: all that writes to it takes its turn first. */
  turns: createWriteLocks(),
});
export type Stores = ReturnType<typeof createStores>;
