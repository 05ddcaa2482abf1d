import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { categoriesChanged } from '../../contract.ts';
import { CATEGORIES_LIMIT, UNASSIGNED } from '../../contract/limits.ts';
import { wireName } from '../../usage/domain/usageReport.ts';
import type { Application } from '../../usage/server/store/applicationStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { NO_KEYS, type CategoryAssignment } from '../domain/category.ts';
import { createSorter } from '../domain/sortingRule.ts';
import type { CategoryStore, KeptCategory } from './categoryStore.ts';
import type { Hotkeys } from './hotkeys.ts';

interface Stores {
  readonly usage: UsageStore;
  readonly categories: CategoryStore;
}

/** What stands: an account's categories and applications, and both as the rules see them. */
export interface CurrentSorting {
  readonly categories: readonly KeptCategory[];
  readonly applications: readonly Application[];
  readonly sorting: CategoryAssignment;
}

/** Names that are sorted before others get their turn. */
const NAMES_PER_TURN = 20;
const othersTurn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How an account's applications are sorted into categories. */
export function createSorting(ground: ServerContext, stores: Stores, hotkeys: Hotkeys) {
  const { identity, realtime } = ground;
  const { usage, categories } = stores;

  const standing = async (account: number, source: Kysely<unknown> = ground.database.db): Promise<CurrentSorting> => {
    const kept = await categories.list(account, source);
    const unassignedKeys = await categories.unassignedKeys(account, source);
    const applications = await usage.applications.list(account, source);
    const names = new Map<number | undefined, string>(kept.map(({ id, name }) => [id, name]));
    const categoryOf = new Map(
      applications.map(({ name, category }) => [wireName(name), names.get(category) ?? UNASSIGNED]),
    );
    return { categories: kept, applications, sorting: { categories: kept, unassignedKeys, categoryOf } };
  };

  /** Puts what is there in the place of what was. */
  const keep = async (
    tx: Transaction<unknown>,
    account: number,
    before: CurrentSorting,
    after: CategoryAssignment,
  ): Promise<void> => {
    const ids = new Map<string, number | undefined>(before.categories.map(({ id, name }) => [name, id]));
    for (const [position, { name, keys }] of after.categories.entries()) {
      const id = ids.get(name);
      if (id === undefined) ids.set(name, await categories.make(tx, account, { name, keys }, position));
      else await categories.change(tx, account, { id, keys }, position);
    }
    if (!isDeepStrictEqual(before.sorting.unassignedKeys, after.unassignedKeys))
      await categories.keepUnassignedKeys(tx, account, after.unassignedKeys);
    ids.set(UNASSIGNED, undefined);
    const moved = Map.groupBy(
      before.applications.filter(({ name }) => {
        const wire = wireName(name);
        return before.sorting.categoryOf.get(wire) !== after.categoryOf.get(wire);
      }),
      ({ name }) => ids.get(after.categoryOf.get(wireName(name)) ?? UNASSIGNED),
    );
    for (const [category, applications] of moved)
      await usage.applications.sort(
        tx,
        account,
        applications.map(({ id }) => id),
        category,
      );
    const stay = new Set(after.categories.map(({ name }) => name));
    await categories.remove(
      tx,
      account,
      before.categories.flatMap(({ id, name }) => (stay.has(name) ? [] : [id])),
    );
  };

  const tell = (account: number): void => {
    realtime.send(`account:${account}`, categoriesChanged, {});
    hotkeys.changed(account);
  };

  return {
    standing,
    tell,
    /** Changes the sorting, wholly or not at all, one change of an account after another. */
    change: async <T>(
      account: number,
      work: (
        before: CurrentSorting,
        tx: Transaction<unknown>,
      ) => Promise<{ readonly after: CategoryAssignment; readonly result: T }>,
    ): Promise<T> => {
      const zone = await identity.resolveZone(account);
      return ground.database.transaction(async ({ tx, afterCommit }) => {
        await usage.book.raise(tx, account, zone);
        const before = await standing(account, tx);
        const { after, result } = await work(before, tx);
        await keep(tx, account, before, after);
        afterCommit(() => tell(account));
        return result;
      });
    },
    /**
     * The categories of applications that are new, by the account's rules; one that no rule fits is missing. A rule waits where its
     * category is not there. @param names as their computers name them.
     */
    categoriesOfNew: async (
      tx: Transaction<unknown>,
      account: number,
      names: readonly string[],
    ): Promise<ReadonlyMap<string, number>> => {
      const rules = await categories.rules(account, tx);
      if (rules.length === 0) return new Map();
      const ids = new Map((await categories.list(account, tx)).map(({ id, name }) => [name, id]));
      const sorter = createSorter(rules.filter(({ category }) => category === UNASSIGNED || ids.has(category)));
      return new Map(
        names.flatMap((name) => {
          const id = ids.get(sorter(wireName(name)) ?? UNASSIGNED);
          return id === undefined ? [] : [[name, id] as const];
        }),
      );
    },
  };
}
export type SortingDeps = ReturnType<typeof createSorting>;

/** With a category of this name. @throws Refusal where there would be too many. */
export function withCategory(sorting: CategoryAssignment, name: string): CategoryAssignment {
  const { categories } = sorting;
  if (name === UNASSIGNED || categories.some((category) => category.name === name)) return sorting;
  if (categories.length >= CATEGORIES_LIMIT)
    throw new Refusal(`There can be ${CATEGORIES_LIMIT} categories at most: delete one first`);
  return { ...sorting, categories: [...categories, { name, keys: NO_KEYS }] };
}

/** Where the rules put each of these names, a piece at a time: there may be thousands of names and hundreds of rules. */
export async function placesBy(
  sorter: (name: string) => string | undefined,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    if (at % NAMES_PER_TURN === NAMES_PER_TURN - 1) await othersTurn();
    const place = sorter(name);
    if (place !== undefined) places.set(name, place);
  }
  return places;
}
