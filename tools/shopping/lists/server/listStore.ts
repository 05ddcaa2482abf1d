import type { Transaction } from 'kysely';
import { toFlag } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { ShoppingTables } from '../../server/tables.ts';

export interface Member {
  readonly account: number;
  readonly isInvited: boolean;
}

/** Creates the store of list members. */
export function createMemberStore({ db: untypedDb }: Database) {
  const getDb = (tx: Transaction<unknown> | undefined) => (tx ?? untypedDb).$extendTables<ShoppingTables>();

  /** Returns members and invited accounts. */
  async function listMembers(list: number, tx?: Transaction<unknown>): Promise<readonly Member[]> {
    const rows = await getDb(tx)
      .selectFrom('shopping_member')
      .select(['account', 'joined'])
      .where('list', '=', list)
      .orderBy('joined')
      .orderBy('account')
      .execute();
    return rows.map(({ account, joined }) => ({ account, isInvited: joined === 0 }));
  }
  return {
    list: listMembers,
    invite: async (tx: Transaction<unknown>, list: number, account: number): Promise<void> => {
      await getDb(tx)
        .insertInto('shopping_member')
        .values({ list, account, joined: 0, is_archived: 0 })
        .onConflict((conflict) => conflict.columns(['list', 'account']).doNothing())
        .execute();
    },
    join: async (tx: Transaction<unknown>, list: number, account: number, now: number): Promise<void> => {
      await getDb(tx)
        .updateTable('shopping_member')
        .set({ joined: now })
        .where('list', '=', list)
        .where('account', '=', account)
        .where('joined', '=', 0)
        .execute();
    },
    /** Returns whether the account was a member or invited. */
    leave: async (tx: Transaction<unknown>, list: number, account: number): Promise<boolean> => {
      const { numDeletedRows } = await getDb(tx)
        .deleteFrom('shopping_member')
        .where('list', '=', list)
        .where('account', '=', account)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** A list with one member's settings. */
export interface OwnList {
  readonly id: number;
  readonly owner: number;
  readonly isArchived: boolean;
  /** An invitation that is not answered yet. */
  readonly isInvited: boolean;
}

/** A list in the menu. */
export interface NamedList extends OwnList {
  readonly name: string;
  /** Number of members, without invited accounts. */
  readonly members: number;
  /** Revision at which an item was last added, renamed or removed. */
  readonly named: number;
}

/** A list that is locked until the end of the transaction. */
export interface LockedList extends OwnList {
  readonly revision: number;
  readonly nextId: number;
}

/** Columns that a batch changes in the row of a list. */
export interface ListChange {
  readonly revision: number;
  readonly next_id: number;
  readonly named?: number;
  readonly changed?: number;
}

/** A list that is about to be changed, with its members. */
export interface ListForUpdate {
  readonly id: number;
  readonly revision: number;
  readonly nextId: number;
  /** Members, without invited accounts. */
  readonly members: readonly number[];
}

const toOwnList = (row: { id: number; owner: number; joined: number; is_archived: number }): OwnList => ({
  id: row.id,
  owner: row.owner,
  isArchived: row.is_archived !== 0,
  isInvited: row.joined === 0,
});

// Only the state store writes this JSON.
const parseName = (value: string | null): string => (value === null ? '' : String(JSON.parse(value)));

/** Creates the store of lists. Every query that takes an account returns only lists that it shares. */
export function createListStore({ db: untypedDb, dialect }: Database) {
  const db = untypedDb.$extendTables<ShoppingTables>();
  const getDb = (tx: Transaction<unknown> | undefined) => (tx ? tx.$extendTables<ShoppingTables>() : db);
  const selectByAccount = (account: number, tx?: Transaction<unknown>) =>
    getDb(tx)
      .selectFrom('shopping_member as member')
      .innerJoin('shopping_list as list', 'list.id', 'member.list')
      .select(['list.id', 'list.account as owner', 'member.joined', 'member.is_archived'])
      .where('member.account', '=', account)
      .where('list.deleted', 'is', null);
  return {
    /** Returns lists and invitations, oldest first, without deleted ones. */
    list: async (account: number): Promise<readonly NamedList[]> => {
      const rows = await selectByAccount(account)
        .leftJoin('shopping_leaf as leaf', (join) =>
          join.onRef('leaf.list', '=', 'list.id').on('leaf.path', '=', 'name'),
        )
        .select((eb) => [
          'list.named',
          'leaf.value as name',
          eb
            .selectFrom('shopping_member as other')
            .select(({ fn }) => fn.countAll().as('members'))
            .whereRef('other.list', '=', 'list.id')
            .where('other.joined', '>', 0)
            .as('members'),
        ])
        .orderBy('list.id')
        .execute();
      return rows.map((row) => ({
        ...toOwnList(row),
        name: parseName(row.name),
        named: row.named,
        members: Number(row.members),
      }));
    },
    /** Returns own deleted lists, most recently deleted first. */
    listDeleted: async (account: number): Promise<readonly { readonly id: number; readonly name: string }[]> => {
      const rows = await db
        .selectFrom('shopping_list as list')
        .leftJoin('shopping_leaf as leaf', (join) =>
          join.onRef('leaf.list', '=', 'list.id').on('leaf.path', '=', 'name'),
        )
        .select(['list.id', 'leaf.value as name'])
        .where('list.account', '=', account)
        .where('list.deleted', 'is not', null)
        .orderBy('list.deleted', 'desc')
        .execute();
      return rows.map(({ id, name }) => ({ id, name: parseName(name) }));
    },
    /** Returns a list of the account; undefined if it is not shared with it, deleted, or only an invitation. */
    find: async (account: number, list: number): Promise<OwnList | undefined> => {
      const row = await selectByAccount(account)
        .where('list.id', '=', list)
        .where('member.joined', '>', 0)
        .executeTakeFirst();
      return row && toOwnList(row);
    },
    /** Like `find`, but includes invitations and locks the rows until the end of the transaction. */
    findAndLock: async (tx: Transaction<unknown>, account: number, list: number): Promise<LockedList | undefined> => {
      const row = await selectByAccount(account, tx)
        .select(['list.revision', 'list.next_id'])
        .where('list.id', '=', list)
        // PostgreSQL reads both rows again once the lock is free.
        .$if(dialect === 'postgres', (query) => query.forUpdate(['list', 'member']))
        .executeTakeFirst();
      return row && { ...toOwnList(row), revision: row.revision, nextId: row.next_id };
    },
    /** Returns a list to change it, for callers that have its write lock; undefined if it was deleted. */
    findForUpdate: async (list: number): Promise<ListForUpdate | undefined> => {
      const rows = await db
        .selectFrom('shopping_list as list')
        .innerJoin('shopping_member as member', 'member.list', 'list.id')
        .select(['list.revision', 'list.next_id', 'member.account'])
        .where('list.id', '=', list)
        .where('list.deleted', 'is', null)
        .where('member.joined', '>', 0)
        .execute();
      const [first] = rows;
      if (!first) return undefined;
      const members = rows.map(({ account }) => account);
      return { id: list, revision: first.revision, nextId: first.next_id, members };
    },
    /**
     * Updates the row of a list with an optimistic lock. Returns false, without writing, if its revision, its number of
     * members or its deletion changed since it was read.
     */
    updateIfUnchanged: async (
      tx: Transaction<unknown>,
      list: number,
      { from, members, to }: { readonly from: number; readonly members: number; readonly to: ListChange },
    ): Promise<boolean> => {
      const { numUpdatedRows } = await getDb(tx)
        .updateTable('shopping_list')
        .set(to)
        .where('id', '=', list)
        .where('revision', '=', from)
        .where('deleted', 'is', null)
        .where(
          (eb) =>
            eb
              .selectFrom('shopping_member')
              .select(({ fn }) => fn.countAll<number>().as('members'))
              .where('list', '=', list)
              .where('joined', '>', 0),
          '=',
          members,
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Counts the lists that the account has joined, without deleted ones. */
    count: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const rows = await selectByAccount(account, tx).where('member.joined', '>', 0).execute();
      return rows.length;
    },
    countInvitations: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const rows = await selectByAccount(account, tx).where('member.joined', '=', 0).execute();
      return rows.length;
    },
    insert: async (
      tx: Transaction<unknown>,
      { account, revision, nextId, now }: { account: number; revision: number; nextId: number; now: number },
    ): Promise<number> => {
      const { id } = await getDb(tx)
        .insertInto('shopping_list')
        .values({ account, revision, next_id: nextId, named: revision, created: now, changed: now, deleted: null })
        .returning('id')
        .executeTakeFirstOrThrow();
      await getDb(tx)
        .insertInto('shopping_member')
        .values({ list: id, account, joined: now, is_archived: 0 })
        .execute();
      return id;
    },
    archive: async (tx: Transaction<unknown>, list: number, account: number, isArchived: boolean): Promise<void> => {
      await getDb(tx)
        .updateTable('shopping_member')
        .set({ is_archived: toFlag(isArchived) })
        .where('list', '=', list)
        .where('account', '=', account)
        .execute();
    },
    /** Deletes an own list, or restores it if `deleted` is undefined. Returns whether the account owns such a list. */
    setDeleted: async (
      tx: Transaction<unknown>,
      list: number,
      account: number,
      deleted: number | undefined,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await getDb(tx)
        .updateTable('shopping_list')
        .set({ deleted: deleted ?? null })
        .where('id', '=', list)
        .where('account', '=', account)
        .where('deleted', deleted === undefined ? 'is not' : 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Removes all but the newest `maxCount` deleted lists of an account. */
    removeOldDeleted: async (tx: Transaction<unknown>, account: number, maxCount: number): Promise<void> => {
      const rows = await getDb(tx)
        .selectFrom('shopping_list')
        .select('id')
        .where('account', '=', account)
        .where('deleted', 'is not', null)
        .orderBy('deleted', 'desc')
        .orderBy('id', 'desc')
        .execute();
      const oldIds = rows.slice(maxCount).map(({ id }) => id);
      if (oldIds.length === 0) return;
      // A list that was restored in the meantime stays.
      await getDb(tx).deleteFrom('shopping_list').where('id', 'in', oldIds).where('deleted', 'is not', null).execute();
    },
    /** Locks a list for maintenance. */
    lock: async (tx: Transaction<unknown>, list: number): Promise<void> => {
      await getDb(tx)
        .selectFrom('shopping_list')
        .select('id')
        .where('id', '=', list)
        .$if(dialect === 'postgres', (query) => query.forUpdate())
        .execute();
    },
    /** Returns the ids of all lists of the server. */
    listIds: async (): Promise<readonly number[]> =>
      (await db.selectFrom('shopping_list').select('id').orderBy('id').execute()).map(({ id }) => id),
    /** Deletes lists that were deleted before one time, and batches and ids from before the other. */
    purge: async (deletedBefore: number, retainedSince: number): Promise<void> => {
      await db.deleteFrom('shopping_list').where('deleted', '<', deletedBefore).execute();
      await db.deleteFrom('shopping_batch').where('time', '<', retainedSince).execute();
      await db.deleteFrom('shopping_id').where('time', '<', retainedSince).execute();
    },
  };
}
