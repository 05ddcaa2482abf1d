import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { loneCluster, type Cluster } from '#platform/server/cluster/cluster.ts';
import { MAX_APPLICATIONS, MAX_NAME_LENGTH } from '../../contract/limits.ts';
import { toRecordedName } from '../domain/usageReport.ts';
import type { Application } from './store/applicationStore.ts';
import type { UsageStore } from './store/usageStores.ts';

/**
 * Finds an application by its wire name; undefined for all together.
 * @throws Refusal if it does not exist.
 */
export async function findApplication(
  { applications }: Pick<UsageStore, 'applications'>,
  account: number,
  wire: string,
): Promise<Application | undefined> {
  const name = toRecordedName(wire);
  if (name === undefined) return undefined;
  const application = await applications.findByName(account, name);
  if (!application)
    throw new Refusal('screentime.application_not_found', 'There is no such application on your computers');
  return application;
}

/** Returns the category ids of new applications; missing ones are unassigned. */
export type FindNewCategories = (
  tx: Transaction<unknown>,
  account: number,
  names: readonly string[],
) => Promise<ReadonlyMap<string, number>>;

/**
 * Returns the name to store; undefined if it is invalid or too long. PostgreSQL can't store NUL, and pages can't show
 * lone surrogates.
 */
export function toStoredName(name: string): string | undefined {
  const clean = name
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return clean === '' || Array.from(clean).length > MAX_NAME_LENGTH ? undefined : clean;
}

const MAX_CACHED_APPLICATIONS = 200_000;

/** Creates a cache of application ids by name, because every report needs them. */
export function createApplicationIds(
  { applications }: Pick<UsageStore, 'applications'>,
  findNewCategories: FindNewCategories,
  cluster: Cluster = loneCluster,
) {
  const idsByAccount = new Map<number, Map<string, number>>();
  /** Incremented by each `clearAccount`, so that values read before it are not cached after it. */
  let clearCount = 0;
  let cachedCount = 0;
  function addToCache(account: number, existingIds: ReadonlyMap<string, number>): void {
    if (cachedCount > MAX_CACHED_APPLICATIONS) {
      idsByAccount.clear();
      cachedCount = 0;
    }
    const cachedIds = idsByAccount.get(account) ?? new Map<string, number>();
    idsByAccount.set(account, cachedIds);
    for (const [name, id] of existingIds) cachedIds.set(name, id);
    cachedCount += existingIds.size;
  }
  async function createApplications(
    tx: Transaction<unknown>,
    account: number,
    { names, now }: { readonly names: readonly string[]; readonly now: number },
  ): Promise<ReadonlyMap<string, number>> {
    const count = await applications.count(tx, account);
    const acceptedNames = names.slice(0, Math.max(0, MAX_APPLICATIONS - count));
    if (acceptedNames.length === 0) return new Map();
    const categoryIds = await findNewCategories(tx, account, acceptedNames);
    const newIds = await applications.insert(
      tx,
      account,
      acceptedNames.map((name, index) => ({
        name,
        colour: count + index,
        category: categoryIds.get(name),
        firstSeen: now,
      })),
    );
    return new Map(newIds.map(({ name, id }) => [name, id]));
  }
  function clearHere(account: number): void {
    clearCount += 1;
    idsByAccount.delete(account);
  }
  cluster.subscribe('screentime.ids', clearHere);
  // Messages may have been lost.
  cluster.onJoined(() => {
    clearCount += 1;
    idsByAccount.clear();
    cachedCount = 0;
  });
  return {
    /**
     * Returns ids by name, and creates new applications. Names over the account's limit have none.
     * @param now milliseconds since the epoch
     * @returns also the values to cache after the commit
     */
    findOrCreate: async (
      tx: Transaction<unknown>,
      account: number,
      { names, now }: { readonly names: readonly string[]; readonly now: number },
    ): Promise<{
      readonly ids: ReadonlyMap<string, number>;
      readonly hasNew: boolean;
      readonly cacheIds: () => void;
    }> => {
      const cachedIds = idsByAccount.get(account);
      const clearCountBefore = clearCount;
      const uncachedNames = [...new Set(names)].filter((name) => !cachedIds?.has(name));
      const existingIds = new Map<string, number>();
      for (const { name, id } of uncachedNames.length === 0
        ? []
        : await applications.listByNames(account, uncachedNames, tx))
        existingIds.set(name, id);
      const newNames = uncachedNames.filter((name) => !existingIds.has(name));
      const newIds =
        newNames.length === 0
          ? new Map<string, number>()
          : await createApplications(tx, account, { names: newNames, now });
      const resolvedIds = new Map([...existingIds, ...newIds]);
      const ids = new Map(
        names.flatMap((name) => {
          const id = cachedIds?.get(name) ?? resolvedIds.get(name);
          return id === undefined ? [] : [[name, id] as const];
        }),
      );
      function cacheIds(): void {
        if (clearCountBefore === clearCount) addToCache(account, resolvedIds);
      }
      return { ids, hasNew: newIds.size > 0, cacheIds };
    },
    clearAccount: (account: number): void => {
      clearHere(account);
      cluster.publish('screentime.ids', account);
    },
  };
}
export type ApplicationIds = ReturnType<typeof createApplicationIds>;
