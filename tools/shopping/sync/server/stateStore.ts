import type { Kysely, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { List } from '../../lists/domain/list.ts';
import type { HeldList, OpenList } from '../../lists/server/listStore.ts';
import type { ShoppingTables } from '../../server/tables.ts';
import type { Leaf, LeafPath, LeafValue, ListState, Outcome } from '../domain/engine.ts';
import { listAfter, listOf } from '../domain/listView.ts';

/** Paths of one statement. */
const PATHS_PER_STATEMENT = 500;

/** What removed things and links leave behind, for whoever changes them later without having seen that. */
export function tombstoneStore({ db: ground }: Database) {
  const inside = (tx: Transaction<unknown> | undefined) => (tx ?? ground).$extendTables<ShoppingTables>();
  const paths = async (list: number, before: number, tx?: Transaction<unknown>): Promise<readonly string[]> => {
    const rows = await inside(tx)
      .selectFrom('shopping_leaf')
      .select('path')
      .where('list', '=', list)
      .where('value', '=', 'false')
      .where('time', '<', before)
      .execute();
    // A type that is not shown is there: the leaf of a field.
    return rows.map(({ path }) => path).filter((path) => /^(items|types)\/\d+$|^links\//.test(path));
  };
  return {
    /** Whether things or links of the list were taken away before then. */
    has: async (list: number, before: number): Promise<boolean> => (await paths(list, before)).length > 0,
    /**
     * Clears them away: a removed thing with all of its leaves. To the engine they have then never been: what is changed of a thing is
     * corrected, as before; a link can be made anew.
     */
    clear: async (tx: Transaction<unknown>, list: number, before: number): Promise<void> => {
      const db = inside(tx);
      const gone = await paths(list, before, tx);
      const things = gone.filter((path) => !path.startsWith('links/'));
      for (const path of things) {
        const [kind, id] = path.split('/');
        const linked = kind === 'items' ? `links/${id}/%` : `links/%/${id}`;
        await db
          .deleteFrom('shopping_leaf')
          .where('list', '=', list)
          .where((where) => where.or([where('path', 'like', `${path}/%`), where('path', 'like', linked)]))
          .execute();
      }
      for (const piece of splitIntoChunks(gone, PATHS_PER_STATEMENT))
        await db.deleteFrom('shopping_leaf').where('list', '=', list).where('path', 'in', piece).execute();
    },
  };
}

/** Leaves of the lists that are kept in memory: some 80 lists of 500 items. Each is read anew where its row has another revision. */
const MAX_CACHED_LEAVES = 300_000;
/** Rows of one statement. */
const ROWS_PER_STATEMENT = 500;

const readLeaves = async (plain: Kysely<unknown>, list: number): Promise<Pick<ListState, 'leaves' | 'ids'>> => {
  const db = plain.$extendTables<ShoppingTables>();
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
        // Written by `writeLeaves` alone.
        { value: JSON.parse(value) as LeafValue, revision, time, client },
      ]),
    ),
    ids: new Map(ids.map(({ client, sent, given }) => [`${client}/${sent}`, given])),
  };
};

const writeLeaves = async (tx: Transaction<unknown>, list: number, writes: Outcome['writes']): Promise<void> => {
  for (const chunk of splitIntoChunks([...writes], ROWS_PER_STATEMENT))
    await tx
      .$extendTables<ShoppingTables>()
      .insertInto('shopping_leaf')
      .values(chunk.map(([path, leaf]) => ({ list, path, ...leaf, value: JSON.stringify(leaf.value) })))
      .onConflict((conflict) =>
        conflict.columns(['list', 'path']).doUpdateSet((is) => ({
          value: is.ref('excluded.value'),
          revision: is.ref('excluded.revision'),
          time: is.ref('excluded.time'),
          client: is.ref('excluded.client'),
        })),
      )
      .execute();
};

/** What a client's `new…` id has become. */
export interface SentId {
  readonly client: string;
  readonly sent: string;
  readonly given: string;
}

/** Whether a leaf says what an item is called, or whether it is there. */
export function isNaming(path: LeafPath): boolean {
  return /^items\/\d+(\/name|\/emoji)?$/.test(path);
}

/** A list's state as the engine knows it: read once, and then only what changes is written. */
export function stateStore({ db: ground }: Database) {
  const db = ground.$extendTables<ShoppingTables>();
  const kept = new Map<number, ListState>();
  let size = 0;
  const shown = new WeakMap<ListState, List>();

  let cleared = 0;
  const drop = (list: number): void => {
    size -= kept.get(list)?.leaves.size ?? 0;
    kept.delete(list);
  };
  const keep = (list: number, state: ListState): void => {
    drop(list);
    kept.set(list, state);
    size += state.leaves.size;
    for (const oldest of kept.keys()) {
      if (size <= MAX_CACHED_LEAVES || oldest === list) break;
      drop(oldest);
    }
  };
  const seen = (state: ListState): List => {
    const known = shown.get(state);
    if (known) return known;
    const list = listOf(state);
    shown.set(state, list);
    return list;
  };

  /** As of now; undefined where there is no such list. */
  const read = async (list: number): Promise<ListState | undefined> => {
    const rowOf = () =>
      db.selectFrom('shopping_list').select(['revision', 'next_id']).where('id', '=', list).executeTakeFirst();
    let row = await rowOf();
    while (row) {
      const { revision, next_id: nextId } = row;
      const known = kept.get(list);
      if (known?.revision === revision) return known;
      const asOf = cleared;
      const state = { revision, nextId, ...(await readLeaves(ground, list)) };
      // A batch may have come in between: its leaves belong to a later revision.
      row = await rowOf();
      if (row?.revision === revision) {
        if (asOf === cleared) keep(list, state);
        return state;
      }
    }
    return undefined;
  };

  return {
    read,
    /** Of a list whose row was just read. */
    opened: async ({ id, revision }: Pick<OpenList, 'id' | 'revision'>): Promise<ListState | undefined> => {
      const known = kept.get(id);
      return known?.revision === revision ? known : read(id);
    },
    /** Of a list that the transaction holds. */
    held: async (
      tx: Transaction<unknown>,
      { id, revision, nextId }: Pick<HeldList, 'id' | 'revision' | 'nextId'>,
    ): Promise<ListState> => {
      const known = kept.get(id);
      return known?.revision === revision ? known : { revision, nextId, ...(await readLeaves(tx, id)) };
    },
    /** What everyone sees of it. */
    seen,
    seenAfter: (before: ListState, { state, changes }: Outcome): List => {
      if (!shown.has(state)) shown.set(state, listAfter(seen(before), changes));
      return seen(state);
    },
    /** After the commit: what was written is what the next one begins with. */
    keep,
    /** Leaves of it were cleared away, which its revision does not tell. */
    forget: (list: number): void => {
      cleared += 1;
      drop(list);
    },
    /** The whole of a list that was just made. */
    fill: async (tx: Transaction<unknown>, list: number, { leaves }: ListState): Promise<void> =>
      writeLeaves(tx, list, leaves),
    /** What batches changed, and the ids of `new…` things in them, known ones among them; at `time`. The list's own row is not among it. */
    write: async (
      tx: Transaction<unknown>,
      list: number,
      { writes, ids, time }: { writes: Outcome['writes']; ids: readonly SentId[]; time: number },
    ): Promise<void> => {
      const inside = tx.$extendTables<ShoppingTables>();
      await writeLeaves(tx, list, writes);
      const sent = new Map(ids.map((each) => [`${each.client}/${each.sent}`, each]));
      for (const chunk of splitIntoChunks([...sent.values()], ROWS_PER_STATEMENT))
        await inside
          .insertInto('shopping_id')
          .values(chunk.map((each) => ({ ...each, list, time })))
          // One that is still in use is kept.
          .onConflict((conflict) => conflict.columns(['list', 'client', 'sent']).doUpdateSet({ time }))
          .execute();
    },
  };
}
