import type { Database } from '#platform/server/database/database.ts';
import { batchStore } from './store/batches.ts';
import { listStore } from './store/lists.ts';
import { memberStore } from './store/members.ts';
import { nameStore } from './store/names.ts';
import { stateStore } from './store/states.ts';
import { tombstoneStore } from './store/tombstones.ts';
import { makeTurns } from './turns.ts';

export const makeStores = (database: Database) => ({
  lists: listStore(database),
  members: memberStore(database),
  states: stateStore(database),
  tombstones: tombstoneStore(database),
  batches: batchStore(database),
  names: nameStore(database),
  /** At each list: all that writes to it takes its turn first. */
  turns: makeTurns(),
});
export type Stores = ReturnType<typeof makeStores>;
