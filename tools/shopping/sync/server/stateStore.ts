import type { Kysely, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { List } from '../../lists/domain/list.ts';
import type { LockedList, ListForUpdate } from '../../lists/server/listStore.ts';
import type { ShoppingTables } from '../../server/tables.ts';
import { applyPatches, type LeafPath, type LeafValue } from '../domain/listReducer.ts';
import { toList, type Leaf, type ListState } from '../domain/listState.ts';
import type { MergeResult } from '../domain/mergeBatch.ts';

const PATHS_PER_STATEMENT = 500;

/** Creates the store of tombstones: leaves of removed things and links, for clients that edit them without knowing. */
export function createTombstoneStore({ db: untypedDb }: Database) {
  const getDb = (tx: Transaction<unknown> | undefined) => (tx ?? untypedDb).$extendTables<ShoppingTables>();
  async function listPaths(list: number, before: number, tx?: Transaction<unknown>): Promise<readonly string[]> {
    const rows = await getDb(tx)
      .selectFrom('shopping_leaf')
      .select('path')
      .where('list', '=', list)
      .where('value', '=', 'false')
      .where('time', '<', before)
      .execute();
    // 'false' is also the value of a type's `isVisible` field, which is not a tombstone.
    return rows.map(({ path }) => path).filter((path) => /^(items|types)\/\d+$|^links\//.test(path));
  }
  return {
    /** Returns whether the list has tombstones from before a time. */
    has: async (list: number, before: number): Promise<boolean> => (await listPaths(list, before)).length > 0,
    /**
     * Deletes old tombstones, and all leaves of removed things. For the merge they never existed:
     * changes of such a thing are still corrected, and a link can be created again.
     */
    clear: async (tx: Transaction<unknown>, list: number, before: number): Promise<void> => {
      const db = getDb(tx);
      const tombstonePaths = await listPaths(list, before, tx);
      const thingPaths = tombstonePaths.filter((path) => !path.startsWith('links/'));
      for (const path of thingPaths) {
        const [kind, id] = path.split('/');
        const linkPattern = kind === 'items' ? `links/${id}/%` : `links/%/${id}`;
        await db
          .deleteFrom('shopping_leaf')
          .where('list', '=', list)
          .where((eb) => eb.or([eb('path', 'like', `${path}/%`), eb('path', 'like', linkPattern)]))
          .execute();
      }
      for (const chunk of splitIntoChunks(tombstonePaths, PATHS_PER_STATEMENT))
        await db.deleteFrom('shopping_leaf').where('list', '=', list).where('path', 'in', chunk).execute();
    },
  };
}

/** Leaves of all cached lists: about 80 lists of 500 items. */
const MAX_CACHED_LEAVES = 300_000;
const ROWS_PER_STATEMENT = 500;

async function readLeaves(untypedDb: Kysely<unknown>, list: number): Promise<Pick<ListState, 'leaves' | 'ids'>> {
  const db = untypedDb.$extendTables<ShoppingTables>();
  const leaves = await db
    .selectFrom('shopping_leaf')
    .select(['path', 'value', 'revision', 'time', 'client'])
    .where('list', '=', list)
    .execute();
  const ids = await db.selectFrom('shopping_id').select(['client', 'sent', 'given']).where('list', '=', list).execute();
  return {
    leaves: new Map(
      leaves.map(({ path, value, revision, time, client }): readonly [LeafPath, Leaf] => [
        path,
        // Only `writeLeaves` writes this JSON.
        { value: JSON.parse(value) as LeafValue, revision, time, client },
      ]),
    ),
    ids: new Map(ids.map(({ client, sent, given }) => [`${client}/${sent}`, given])),
  };
}

async function writeLeaves(tx: Transaction<unknown>, list: number, writes: MergeResult['writes']): Promise<void> {
  for (const chunk of splitIntoChunks([...writes], ROWS_PER_STATEMENT))
    await tx
      .$extendTables<ShoppingTables>()
      .insertInto('shopping_leaf')
      .values(chunk.map(([path, leaf]) => ({ list, path, ...leaf, value: JSON.stringify(leaf.value) })))
      .onConflict((conflict) =>
        conflict.columns(['list', 'path']).doUpdateSet((eb) => ({
          value: eb.ref('excluded.value'),
          revision: eb.ref('excluded.revision'),
          time: eb.ref('excluded.time'),
          client: eb.ref('excluded.client'),
        })),
      )
      .execute();
}

/** The server id of a client's `new…` id. */
export interface SentId {
  readonly client: string;
  readonly sent: string;
  readonly given: string;
}

/** Returns whether a leaf is the name, emoji or existence of an item. */
export function isNameLeaf(path: LeafPath): boolean {
  return /^items\/\d+(\/name|\/emoji)?$/.test(path);
}

/** Creates the store of list states. A cached state is valid while the row of its list has the same revision. */
export function createStateStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<ShoppingTables>();
  const cache = new Map<number, ListState>();
  let cachedLeafCount = 0;
  let invalidationCount = 0;
  const visibleLists = new WeakMap<ListState, List>();

  function removeFromCache(list: number): void {
    cachedLeafCount -= cache.get(list)?.leaves.size ?? 0;
    cache.delete(list);
  }
  function addToCache(list: number, state: ListState): void {
    removeFromCache(list);
    cache.set(list, state);
    cachedLeafCount += state.leaves.size;
    for (const oldest of cache.keys()) {
      if (cachedLeafCount <= MAX_CACHED_LEAVES || oldest === list) break;
      removeFromCache(oldest);
    }
  }
  function getVisibleList(state: ListState): List {
    const cached = visibleLists.get(state);
    if (cached) return cached;
    const list = toList(state);
    visibleLists.set(state, list);
    return list;
  }

  /** Returns the current state; undefined if the list does not exist. */
  async function read(list: number): Promise<ListState | undefined> {
    const readRow = () =>
      db.selectFrom('shopping_list').select(['revision', 'next_id']).where('id', '=', list).executeTakeFirst();
    let row = await readRow();
    while (row) {
      const { revision, next_id: nextId } = row;
      const cached = cache.get(list);
      if (cached?.revision === revision) return cached;
      const invalidationCountBefore = invalidationCount;
      const state = { revision, nextId, ...(await readLeaves(untypedDb, list)) };
      // A batch may have been written between the two reads; then the leaves belong to a later revision.
      row = await readRow();
      if (row?.revision === revision) {
        if (invalidationCountBefore === invalidationCount) addToCache(list, state);
        return state;
      }
    }
    return undefined;
  }

  return {
    read,
    /** Like `read`, for a list whose row was just read. */
    getAtRevision: async ({ id, revision }: Pick<ListForUpdate, 'id' | 'revision'>): Promise<ListState | undefined> => {
      const cached = cache.get(id);
      return cached?.revision === revision ? cached : read(id);
    },
    /** Returns the state of a list that this transaction has locked. */
    getLocked: async (
      tx: Transaction<unknown>,
      { id, revision, nextId }: Pick<LockedList, 'id' | 'revision' | 'nextId'>,
    ): Promise<ListState> => {
      const cached = cache.get(id);
      return cached?.revision === revision ? cached : { revision, nextId, ...(await readLeaves(tx, id)) };
    },
    /** Returns the list as all members see it. */
    getVisibleList,
    /** Like `getVisibleList` for the state after a batch, computed from the list before it. */
    getVisibleListAfter: (before: ListState, { state, changes }: MergeResult): List => {
      if (!visibleLists.has(state)) visibleLists.set(state, applyPatches(getVisibleList(before), changes));
      return getVisibleList(state);
    },
    /** Caches the state after the commit. */
    cache: addToCache,
    /** Invalidates a list whose tombstones were cleared, which does not raise its revision. */
    invalidate: (list: number): void => {
      invalidationCount += 1;
      removeFromCache(list);
    },
    /** Writes all leaves of a new list. */
    fill: async (tx: Transaction<unknown>, list: number, { leaves }: ListState): Promise<void> =>
      writeLeaves(tx, list, leaves),
    /**
     * Writes changed leaves and the ids of `new…` things, also known ones. Does not write the row of the list.
     * @param time epoch milliseconds.
     */
    write: async (
      tx: Transaction<unknown>,
      list: number,
      { writes, ids, time }: { writes: MergeResult['writes']; ids: readonly SentId[]; time: number },
    ): Promise<void> => {
      const typedTx = tx.$extendTables<ShoppingTables>();
      await writeLeaves(tx, list, writes);
      const uniqueIds = new Map(ids.map((id) => [`${id.client}/${id.sent}`, id]));
      for (const chunk of splitIntoChunks([...uniqueIds.values()], ROWS_PER_STATEMENT))
        await typedTx
          .insertInto('shopping_id')
          .values(chunk.map((id) => ({ ...id, list, time })))
          // Refreshes the time of ids that are still in use, so that they are not cleaned up.
          .onConflict((conflict) => conflict.columns(['list', 'client', 'sent']).doUpdateSet({ time }))
          .execute();
    },
  };
}
