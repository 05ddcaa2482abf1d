import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { splitIntoChunks } from '#platform/server/database/pieces.ts';
import type { ShoppingTables } from '../../server/tables.ts';

/** Paths of one statement. */
const PATHS_PER_STATEMENT = 500;

/** What removed things and links leave behind, for whoever changes them later without having seen that. */
export const tombstoneStore = ({ db: ground }: Database) => {
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
};
