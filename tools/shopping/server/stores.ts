import type { Database } from '#platform/server/database/database.ts';
import { batchStore } from './store/batches.ts';
import { listStore } from './store/lists.ts';
import { memberStore } from './store/members.ts';
import { nameStore } from './store/names.ts';
import { stateStore } from './store/states.ts';
import { tombstoneStore } from './store/tombstones.ts';
import { createWriteLocks } from './turns.ts';

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
