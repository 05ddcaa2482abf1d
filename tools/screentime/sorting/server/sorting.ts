import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { categoriesChanged } from '../../contract.ts';
import { MAX_CATEGORIES, UNASSIGNED } from '../../contract/limits.ts';
import { toWireName } from '../../usage/domain/usageReport.ts';
import type { Application } from '../../usage/server/store/applicationStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { NO_KEYS, type CategoryAssignment } from '../domain/category.ts';
import { createSorter } from '../domain/sortingRule.ts';
import type { CategoryStore, StoredCategory } from './categoryStore.ts';
import type { Hotkeys } from './hotkeys.ts';

interface SortingDeps {
  readonly usage: UsageStore;
  readonly categories: CategoryStore;
}

/** Current categories and applications of an account, also in the form of the rules. */
export interface CurrentSorting {
  readonly categories: readonly StoredCategory[];
  readonly applications: readonly Application[];
  readonly sorting: CategoryAssignment;
}

/** Names per batch, so that other requests run in between. */
const NAMES_PER_BATCH = 20;
const yieldToOthers = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Creates the service that sorts an account's applications into categories. */
export function createSorting(context: ServerContext, stores: SortingDeps, hotkeys: Hotkeys) {
  const { identity, realtime } = context;
  const { usage, categories } = stores;

  async function getCurrent(account: number, source: Kysely<unknown> = context.database.db): Promise<CurrentSorting> {
    const storedCategories = await categories.list(account, source);
    const unassignedKeys = await categories.getUnassignedKeys(account, source);
    const applications = await usage.applications.list(account, source);
    const names = new Map<number | undefined, string>(storedCategories.map(({ id, name }) => [id, name]));
    const categoryByApplication = new Map(
      applications.map(({ name, category }) => [toWireName(name), names.get(category) ?? UNASSIGNED]),
    );
    return {
      categories: storedCategories,
      applications,
      sorting: { categories: storedCategories, unassignedKeys, categoryByApplication },
    };
  }

  /** Writes the difference between two sortings. */
  async function writeDifference(
    tx: Transaction<unknown>,
    account: number,
    before: CurrentSorting,
    after: CategoryAssignment,
  ): Promise<void> {
    const ids = new Map<string, number | undefined>(before.categories.map(({ id, name }) => [name, id]));
    for (const [position, { name, keys }] of after.categories.entries()) {
      const id = ids.get(name);
      if (id === undefined) ids.set(name, await categories.insert(tx, account, { name, keys }, position));
      else await categories.update(tx, account, { id, keys }, position);
    }
    if (!isDeepStrictEqual(before.sorting.unassignedKeys, after.unassignedKeys))
      await categories.saveUnassignedKeys(tx, account, after.unassignedKeys);
    ids.set(UNASSIGNED, undefined);
    const movedApplications = Map.groupBy(
      before.applications.filter(({ name }) => {
        const wire = toWireName(name);
        return before.sorting.categoryByApplication.get(wire) !== after.categoryByApplication.get(wire);
      }),
      ({ name }) => ids.get(after.categoryByApplication.get(toWireName(name)) ?? UNASSIGNED),
    );
    for (const [category, applications] of movedApplications)
      await usage.applications.setCategory(
        tx,
        account,
        applications.map(({ id }) => id),
        category,
      );
    const remaining = new Set(after.categories.map(({ name }) => name));
    await categories.remove(
      tx,
      account,
      before.categories.flatMap(({ id, name }) => (remaining.has(name) ? [] : [id])),
    );
  }

  function notify(account: number): void {
    realtime.send(`account:${account}`, categoriesChanged, {});
    hotkeys.publish(account);
  }

  return {
    getCurrent,
    notify,
    /** Changes the sorting atomically. Changes of one account run serially. */
    update: async <T>(
      account: number,
      computeChange: (
        before: CurrentSorting,
        tx: Transaction<unknown>,
      ) => Promise<{ readonly after: CategoryAssignment; readonly result: T }>,
    ): Promise<T> => {
      const zone = await identity.resolveZone(account);
      return context.database.transaction(async ({ tx, afterCommit }) => {
        await usage.revisions.increment(tx, account, zone);
        const before = await getCurrent(account, tx);
        const { after, result } = await computeChange(before, tx);
        await writeDifference(tx, account, before, after);
        afterCommit(() => notify(account));
        return result;
      });
    },
    /**
     * Returns the categories of new applications by the account's rules; without a match they are missing. Rules of
     * missing categories are skipped.
     * @param names as reported by computers
     */
    findNewCategories: async (
      tx: Transaction<unknown>,
      account: number,
      names: readonly string[],
    ): Promise<ReadonlyMap<string, number>> => {
      const rules = await categories.listRules(account, tx);
      if (rules.length === 0) return new Map();
      const ids = new Map((await categories.list(account, tx)).map(({ id, name }) => [name, id]));
      const sorter = createSorter(rules.filter(({ category }) => category === UNASSIGNED || ids.has(category)));
      return new Map(
        names.flatMap((name) => {
          const id = ids.get(sorter(toWireName(name)) ?? UNASSIGNED);
          return id === undefined ? [] : [[name, id] as const];
        }),
      );
    },
  };
}
export type SortingService = ReturnType<typeof createSorting>;

/**
 * Adds a category if it is missing.
 * @throws Refusal if there are too many.
 */
export function addCategory(sorting: CategoryAssignment, name: string): CategoryAssignment {
  const { categories } = sorting;
  if (name === UNASSIGNED || categories.some((category) => category.name === name)) return sorting;
  if (categories.length >= MAX_CATEGORIES)
    throw new Refusal(
      'screentime.too_many_categories',
      `You can have at most ${MAX_CATEGORIES} categories. Delete one first`,
    );
  return { ...sorting, categories: [...categories, { name, keys: NO_KEYS }] };
}

/** Applies the rules to names, in batches, because there may be thousands of names and hundreds of rules. */
export async function sortNames(
  sorter: (name: string) => string | undefined,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const categoryByName = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (index % NAMES_PER_BATCH === NAMES_PER_BATCH - 1) await yieldToOthers();
    const category = sorter(name);
    if (category !== undefined) categoryByName.set(name, category);
  }
  return categoryByName;
}
