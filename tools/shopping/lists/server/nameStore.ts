import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database } from '#platform/server/database/database.ts';
import type { ShoppingTables } from '../../server/tables.ts';
import {
  CATALOGUE,
  listGlobalItems,
  collectListNames,
  type GlobalItem,
  type ListNames,
  type UsedName,
} from '../domain/itemNames.ts';

/** Names per list; older ones are not suggested. */
const MAX_NAMES_PER_LIST = 1000;
const LIST_CACHE_SIZE = 500;
const ACCOUNT_CACHE_SIZE = 50;

/** A list and the revision at which one of its items was last added, renamed or removed. */
interface NamedList {
  readonly id: number;
  readonly named: number;
}

/** Names to suggest to an account, and their JSON, which is sent with every menu. */
export interface NameOptions {
  readonly names: readonly GlobalItem[];
  readonly json: string;
}

/** Creates the store of item names, including those of removed items until these are cleaned up. */
export function createNameStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<ShoppingTables>();
  const namesByList = new LRUCache<number, { readonly named: number; readonly listNames: ListNames }>({
    max: LIST_CACHE_SIZE,
  });
  const optionsByAccount = new LRUCache<number, { readonly listVersions: string; readonly options: NameOptions }>({
    max: ACCOUNT_CACHE_SIZE,
  });

  async function listUsedNames(list: number): Promise<readonly UsedName[]> {
    const rows = await db
      .selectFrom('shopping_leaf as leaf')
      .leftJoin('shopping_leaf as emoji', (join) =>
        join
          .onRef('emoji.list', '=', 'leaf.list')
          .on('emoji.path', '=', sql<string>`replace(leaf.path, '/name', '/emoji')`),
      )
      .select(['leaf.value as name', 'emoji.value as emoji', 'leaf.time'])
      .where('leaf.list', '=', list)
      // Must match the condition of the index in migrations.ts exactly.
      .where(sql<boolean>`leaf.path like 'items/%/name'`)
      .orderBy('leaf.time', 'desc')
      .limit(MAX_NAMES_PER_LIST)
      .execute();
    return rows.map(({ name, emoji, time }) => ({
      name: String(JSON.parse(name)),
      emoji: emoji === null ? '' : String(JSON.parse(emoji)),
      time,
    }));
  }
  async function getListNames({ id, named }: NamedList): Promise<ListNames> {
    const cached = namesByList.get(id);
    const listNames = cached?.named === named ? cached.listNames : collectListNames(id, await listUsedNames(id));
    namesByList.set(id, { named, listNames });
    return listNames;
  }
  return {
    /** Returns the names to suggest to an account with these lists. */
    getOptions: async (account: number, lists: readonly NamedList[]): Promise<NameOptions> => {
      const listVersions = lists.map(({ id, named }) => `${id}:${named}`).join();
      const cached = optionsByAccount.get(account);
      if (cached?.listVersions === listVersions) return cached.options;
      const listNames: ListNames[] = [];
      for (const list of lists) listNames.push(await getListNames(list));
      const names = listGlobalItems(listNames, CATALOGUE);
      const options = { names, json: JSON.stringify(names) };
      optionsByAccount.set(account, { listVersions, options });
      return options;
    },
    /** Clears the caches after old leaves were deleted. */
    invalidate: (): void => {
      namesByList.clear();
      optionsByAccount.clear();
    },
  };
}
