import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { ShoppingTables } from '../../server/tables.ts';

export interface Member {
  readonly account: number;
  readonly isInvited: boolean;
}

/** Who shares a list. */
export function memberStore({ db: ground }: Database) {
  const inside = (tx: Transaction<unknown> | undefined) => (tx ?? ground).$extendTables<ShoppingTables>();

  /** Invited ones among them. */
  const all = async (list: number, tx?: Transaction<unknown>): Promise<readonly Member[]> => {
    const rows = await inside(tx)
      .selectFrom('shopping_member')
      .select(['account', 'joined'])
      .where('list', '=', list)
      .orderBy('joined')
      .orderBy('account')
      .execute();
    return rows.map(({ account, joined }) => ({ account, isInvited: joined === 0 }));
  };
  return {
    all,
    invite: async (tx: Transaction<unknown>, list: number, account: number): Promise<void> => {
      await inside(tx)
        .insertInto('shopping_member')
        .values({ list, account, joined: 0, is_archived: 0 })
        .onConflict((conflict) => conflict.columns(['list', 'account']).doNothing())
        .execute();
    },
    join: async (tx: Transaction<unknown>, list: number, account: number, now: number): Promise<void> => {
      await inside(tx)
        .updateTable('shopping_member')
        .set({ joined: now })
        .where('list', '=', list)
        .where('account', '=', account)
        .where('joined', '=', 0)
        .execute();
    },
    /** Whether it was there, as a member or invited. */
    leave: async (tx: Transaction<unknown>, list: number, account: number): Promise<boolean> => {
      const { numDeletedRows } = await inside(tx)
        .deleteFrom('shopping_member')
        .where('list', '=', list)
        .where('account', '=', account)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** A list as one of its members has it. */
export interface OwnList {
  readonly id: number;
  readonly owner: number;
  readonly isArchived: boolean;
  /** An invitation that is not answered. */
  readonly isInvited: boolean;
}

/** A list in the menu. */
export interface NamedList extends OwnList {
  readonly name: string;
  /** Accounts that share it, invitations left out. */
  readonly members: number;
  /** The revision at which an item was last named otherwise. */
  readonly named: number;
}

/** A list that is held until the end of a transaction, as one of its members has it. */
export interface HeldList extends OwnList {
  readonly revision: number;
  readonly nextId: number;
}

/** What batches make of a list's own row. */
export interface ListChange {
  readonly revision: number;
  readonly next_id: number;
  readonly named?: number;
  readonly changed?: number;
}

/** A list that is about to be changed. */
export interface OpenList {
  readonly id: number;
  readonly revision: number;
  readonly nextId: number;
  /** Accounts that share it, invited ones left out. */
  readonly members: readonly number[];
}

const toOwn = (row: { id: number; owner: number; joined: number; is_archived: number }): OwnList => ({
  id: row.id,
  owner: row.owner,
  isArchived: row.is_archived !== 0,
  isInvited: row.joined === 0,
});

// Written by the store of states alone.
const nameIn = (value: string | null): string => (value === null ? '' : String(JSON.parse(value)));

/** Whose lists there are. Every question has the account in it: a list of others is none. */
export function listStore({ db: ground, dialect }: Database) {
  const db = ground.$extendTables<ShoppingTables>();
  const inside = (tx: Transaction<unknown> | undefined) => (tx ? tx.$extendTables<ShoppingTables>() : db);
  const ofAccount = (account: number, tx?: Transaction<unknown>) =>
    inside(tx)
      .selectFrom('shopping_member as member')
      .innerJoin('shopping_list as list', 'list.id', 'member.list')
      .select(['list.id', 'list.account as owner', 'member.joined', 'member.is_archived'])
      .where('member.account', '=', account)
      .where('list.deleted', 'is', null);
  return {
    /** Lists and invitations, the oldest first; deleted ones are left out. */
    all: async (account: number): Promise<readonly NamedList[]> => {
      const rows = await ofAccount(account)
        .leftJoin('shopping_leaf as leaf', (join) =>
          join.onRef('leaf.list', '=', 'list.id').on('leaf.path', '=', 'name'),
        )
        .select((query) => [
          'list.named',
          'leaf.value as name',
          query
            .selectFrom('shopping_member as other')
            .select(({ fn }) => fn.countAll().as('members'))
            .whereRef('other.list', '=', 'list.id')
            .where('other.joined', '>', 0)
            .as('members'),
        ])
        .orderBy('list.id')
        .execute();
      return rows.map((row) => ({
        ...toOwn(row),
        name: nameIn(row.name),
        named: row.named,
        members: Number(row.members),
      }));
    },
    /** Own ones in the bin, the one deleted last first. */
    deleted: async (account: number): Promise<readonly { readonly id: number; readonly name: string }[]> => {
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
      return rows.map(({ id, name }) => ({ id, name: nameIn(name) }));
    },
    /** Undefined where it is not the account's, was deleted, or is only offered to it. */
    one: async (account: number, list: number): Promise<OwnList | undefined> => {
      const row = await ofAccount(account)
        .where('list.id', '=', list)
        .where('member.joined', '>', 0)
        .executeTakeFirst();
      return row && toOwn(row);
    },
    /** As `one`, invitations among them, and held until the end of the transaction. */
    hold: async (tx: Transaction<unknown>, account: number, list: number): Promise<HeldList | undefined> => {
      const row = await ofAccount(account, tx)
        .select(['list.revision', 'list.next_id'])
        .where('list.id', '=', list)
        // Both rows are read anew once they are free.
        .$if(dialect === 'postgres', (query) => query.forUpdate(['list', 'member']))
        .executeTakeFirst();
      return row && { ...toOwn(row), revision: row.revision, nextId: row.next_id };
    },
    /** For whoever has its turn: all who join and leave take it too. Undefined where it is gone. */
    open: async (list: number): Promise<OpenList | undefined> => {
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
    /** Writes what a list has become. False, and nothing is written, where it is not as it was read: at that revision, with so many members, and not deleted. */
    become: async (
      tx: Transaction<unknown>,
      list: number,
      { from, members, to }: { readonly from: number; readonly members: number; readonly to: ListChange },
    ): Promise<boolean> => {
      const { numUpdatedRows } = await inside(tx)
        .updateTable('shopping_list')
        .set(to)
        .where('id', '=', list)
        .where('revision', '=', from)
        .where('deleted', 'is', null)
        .where(
          (where) =>
            where
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
    /** Lists that the account has taken part in, deleted ones left out. */
    count: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const rows = await ofAccount(account, tx).where('member.joined', '>', 0).execute();
      return rows.length;
    },
    invitations: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const rows = await ofAccount(account, tx).where('member.joined', '=', 0).execute();
      return rows.length;
    },
    make: async (
      tx: Transaction<unknown>,
      { account, revision, nextId, now }: { account: number; revision: number; nextId: number; now: number },
    ): Promise<number> => {
      const { id } = await inside(tx)
        .insertInto('shopping_list')
        .values({ account, revision, next_id: nextId, named: revision, created: now, changed: now, deleted: null })
        .returning('id')
        .executeTakeFirstOrThrow();
      await inside(tx)
        .insertInto('shopping_member')
        .values({ list: id, account, joined: now, is_archived: 0 })
        .execute();
      return id;
    },
    archive: async (tx: Transaction<unknown>, list: number, account: number, isArchived: boolean): Promise<void> => {
      await inside(tx)
        .updateTable('shopping_member')
        .set({ is_archived: isArchived ? 1 : 0 })
        .where('list', '=', list)
        .where('account', '=', account)
        .execute();
    },
    /** Whether the account has such a list of its own; `deleted` undefined brings it back. */
    setDeleted: async (
      tx: Transaction<unknown>,
      list: number,
      account: number,
      deleted: number | undefined,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await inside(tx)
        .updateTable('shopping_list')
        .set({ deleted: deleted ?? null })
        .where('id', '=', list)
        .where('account', '=', account)
        .where('deleted', deleted === undefined ? 'is not' : 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Leaves the newest `most` of an account's deleted lists. */
    thinBin: async (tx: Transaction<unknown>, account: number, most: number): Promise<void> => {
      const own = inside(tx)
        .selectFrom('shopping_list')
        .where('account', '=', account)
        .where('deleted', 'is not', null);
      const rows = await own.select('id').orderBy('deleted', 'desc').orderBy('id', 'desc').execute();
      const old = rows.slice(most).map(({ id }) => id);
      if (old.length === 0) return;
      // One that was brought back meanwhile stays.
      await inside(tx).deleteFrom('shopping_list').where('id', 'in', old).where('deleted', 'is not', null).execute();
    },
    /** Holds a list for what the server does by itself. */
    lock: async (tx: Transaction<unknown>, list: number): Promise<void> => {
      await inside(tx)
        .selectFrom('shopping_list')
        .select('id')
        .where('id', '=', list)
        .$if(dialect === 'postgres', (query) => query.forUpdate())
        .execute();
    },
    /** Every list of the server. */
    ids: async (): Promise<readonly number[]> =>
      (await db.selectFrom('shopping_list').select('id').orderBy('id').execute()).map(({ id }) => id),
    /** Lists deleted before, and what is kept of batches and ids from before. */
    purge: async (deletedBefore: number, keptSince: number): Promise<void> => {
      await db.deleteFrom('shopping_list').where('deleted', '<', deletedBefore).execute();
      await db.deleteFrom('shopping_batch').where('time', '<', keptSince).execute();
      await db.deleteFrom('shopping_id').where('time', '<', keptSince).execute();
    },
  };
}
