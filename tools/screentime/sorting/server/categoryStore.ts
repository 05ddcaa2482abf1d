import type { Generated, Kysely, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import { NO_KEYS, type Category, type Hotkeys } from '../domain/category.ts';
import type { Rule } from '../domain/sortingRule.ts';

export interface StoredCategory extends Category {
  readonly id: number;
}

type CategoryTables = {
  /**
   * `position` is the index in the account; empty hotkeys are unset. The row `UNASSIGNED` is not a category: it only
   * stores the hotkeys of unassigned applications.
   */
  screentime_category: {
    id: Generated<number>;
    account: number;
    name: string;
    position: number;
    up: string;
    down: string;
    mute: string;
  };
  screentime_rule: { account: number; position: number; pattern: string; category: string };
};

const ROWS_PER_STATEMENT = 500;
const withTables = (source: Kysely<unknown>) => source.$extendTables<CategoryTables>();

export function createCategoryStore({ db }: Database) {
  return {
    /** In order. */
    list: async (account: number, source: Kysely<unknown> = db): Promise<readonly StoredCategory[]> => {
      const rows = await withTables(source)
        .selectFrom('screentime_category')
        .select(['id', 'name', 'up', 'down', 'mute'])
        .where('account', '=', account)
        .where('name', '!=', UNASSIGNED)
        .orderBy('position')
        .orderBy('id')
        .execute();
      return rows.map(({ id, name, ...keys }) => ({ id, name, keys }));
    },
    getUnassignedKeys: async (account: number, source: Kysely<unknown> = db): Promise<Hotkeys> => {
      const row = await withTables(source)
        .selectFrom('screentime_category')
        .select(['up', 'down', 'mute'])
        .where('account', '=', account)
        .where('name', '=', UNASSIGNED)
        .executeTakeFirst();
      return row ?? NO_KEYS;
    },
    saveUnassignedKeys: async (tx: Transaction<unknown>, account: number, keys: Hotkeys): Promise<void> => {
      await withTables(tx)
        .insertInto('screentime_category')
        .values({ account, name: UNASSIGNED, position: 0, ...keys })
        .onConflict((conflict) => conflict.columns(['account', 'name']).doUpdateSet(keys))
        .execute();
    },
    /**
     * Inserts a category.
     * @returns the id
     */
    insert: async (
      tx: Transaction<unknown>,
      account: number,
      { name, keys }: Category,
      position: number,
    ): Promise<number> => {
      const { id } = await withTables(tx)
        .insertInto('screentime_category')
        .values({ account, name, position, ...keys })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    update: async (
      tx: Transaction<unknown>,
      account: number,
      { id, keys }: Omit<StoredCategory, 'name'>,
      position: number,
    ): Promise<void> => {
      await withTables(tx)
        .updateTable('screentime_category')
        .set({ position, ...keys })
        .where('account', '=', account)
        .where('id', '=', id)
        .execute();
    },
    /** Removes categories. No application may be in them. */
    remove: async (tx: Transaction<unknown>, account: number, ids: readonly number[]): Promise<void> => {
      for (const chunk of splitIntoChunks(ids, ROWS_PER_STATEMENT))
        await withTables(tx)
          .deleteFrom('screentime_category')
          .where('account', '=', account)
          .where('id', 'in', chunk)
          .execute();
    },
    /** Lists rules in order. */
    listRules: async (account: number, source: Kysely<unknown> = db): Promise<readonly Rule[]> =>
      withTables(source)
        .selectFrom('screentime_rule')
        .select(['pattern', 'category'])
        .where('account', '=', account)
        .orderBy('position')
        .execute(),
    saveRules: async (tx: Transaction<unknown>, account: number, rules: readonly Rule[]): Promise<void> => {
      await withTables(tx).deleteFrom('screentime_rule').where('account', '=', account).execute();
      const rows = rules.map(({ pattern, category }, position) => ({ account, position, pattern, category }));
      for (const chunk of splitIntoChunks(rows, ROWS_PER_STATEMENT))
        await withTables(tx).insertInto('screentime_rule').values(chunk).execute();
    },
  };
}
export type CategoryStore = ReturnType<typeof createCategoryStore>;
