import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database } from '#platform/server/database/database.ts';
import type { ShoppingTables } from '../../server/tables.ts';
import {
  CATALOGUE,
  globalItems,
  listNames,
  type GlobalItem,
  type ListNames,
  type UsedName,
} from '../domain/itemNames.ts';

/** Names per list; older ones are not suggested. */
const MAX_NAMES_PER_LIST = 1000;
/** Lists and accounts whose names are cached. */
const CACHE_SIZES = { lists: 500, accounts: 50 } as const;

/** A list and the revision at which one of its items was last added, renamed or removed. */
interface NamedList {
  readonly id: number;
  readonly named: number;
}

/** Names that an account can choose from, and their JSON, which is serialized once and sent with every menu. */
export interface NameChoice {
  readonly names: readonly GlobalItem[];
  readonly json: string;
}

/** Creates the store of item names, including those of removed items until these are cleaned up. */
export function nameStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<ShoppingTables>();
  const namesByList = new LRUCache<number, { readonly named: number; readonly its: ListNames }>({
    max: CACHE_SIZES.lists,
  });
  const choiceByAccount = new LRUCache<number, { readonly lists: string; readonly choice: NameChoice }>({
    max: CACHE_SIZES.accounts,
  });

  const read = async (list: number): Promise<readonly UsedName[]> => {
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
  };
  const getListNames = async ({ id, named }: NamedList): Promise<ListNames> => {
    const cached = namesByList.get(id);
    const its = cached?.named === named ? cached.its : listNames(id, await read(id));
    namesByList.set(id, { named, its });
    return its;
  };
  return {
    /** Returns the names that an account with these lists can choose from. */
    toChooseFrom: async (account: number, lists: readonly NamedList[]): Promise<NameChoice> => {
      const listVersions = lists.map(({ id, named }) => `${id}:${named}`).join();
      const cached = choiceByAccount.get(account);
      if (cached?.lists === listVersions) return cached.choice;
      const namesOfLists: ListNames[] = [];
      for (const list of lists) namesOfLists.push(await getListNames(list));
      const names = globalItems(namesOfLists, CATALOGUE);
      const choice = { names, json: JSON.stringify(names) };
      choiceByAccount.set(account, { lists: listVersions, choice });
      return choice;
    },
    /** Clears the caches after old leaves were deleted. */
    invalidate: (): void => {
      namesByList.clear();
      choiceByAccount.clear();
    },
  };
}
