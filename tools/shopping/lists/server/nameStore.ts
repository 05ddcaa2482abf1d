import { sql } from 'kysely';
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

/** Names of one list that are looked at; older ones are not offered any more. */
const MAX_NAMES_PER_LIST = 1000;
/** Lists and accounts whose names are kept in memory. */
const CACHE_SIZES = { lists: 500, accounts: 50 } as const;

/** A list and the revision at which one of its items was last named otherwise. */
interface NamedList {
  readonly id: number;
  readonly named: number;
}

/** The names that an account may choose from, and the JSON that answers every menu: written once for each change. */
export interface NameChoice {
  readonly names: readonly GlobalItem[];
  readonly json: string;
}

const keepLast = <Key, Value>(kept: Map<Key, Value>, key: Key, value: Value, most: number): void => {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
};

/** What items are called, removed ones among them as long as they are known. */
export function nameStore({ db: ground }: Database) {
  const db = ground.$extendTables<ShoppingTables>();
  const ofLists = new Map<number, { readonly named: number; readonly its: ListNames }>();
  const ofAccounts = new Map<number, { readonly lists: string; readonly choice: NameChoice }>();

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
      // As the index says it (001-lists.ts), word for word.
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
  const namesOf = async ({ id, named }: NamedList): Promise<ListNames> => {
    const known = ofLists.get(id);
    const its = known?.named === named ? known.its : listNames(id, await read(id));
    keepLast(ofLists, id, { named, its }, CACHE_SIZES.lists);
    return its;
  };
  return {
    /** What an account that has these lists may choose from. */
    toChooseFrom: async (account: number, lists: readonly NamedList[]): Promise<NameChoice> => {
      const asOf = lists.map(({ id, named }) => `${id}:${named}`).join();
      const known = ofAccounts.get(account);
      if (known?.lists === asOf) return known.choice;
      const ofEach: ListNames[] = [];
      for (const list of lists) ofEach.push(await namesOf(list));
      const names = globalItems(ofEach, CATALOGUE);
      const choice = { names, json: JSON.stringify(names) };
      keepLast(ofAccounts, account, { lists: asOf, choice }, CACHE_SIZES.accounts);
      return choice;
    },
    /** What is long gone was cleared away. */
    forget: (): void => {
      ofLists.clear();
      ofAccounts.clear();
    },
  };
}
