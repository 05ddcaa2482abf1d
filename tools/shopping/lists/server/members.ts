import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { ShoppingTables } from '../../server/tables.ts';

export interface Member {
  readonly account: number;
  readonly isInvited: boolean;
}

/** Who shares a list. */
export const memberStore = ({ db: ground }: Database) => {
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
};
