import type { FastifyBaseLogger } from 'fastify';
import { HOUR_MS } from '#platform/contract/duration.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { getZoneDays, type Day, type ZoneDays } from '../domain/days.ts';
import { rewriteDays } from './recording.ts';
import type { UsageStore } from './store/usageStores.ts';

/** UTC days per transaction, so that other writes can run in between. */
const DAYS_PER_TRANSACTION = 32;
/** Max one change per hour, because a home zone may change with every page that opens. */
const MIN_CHANGE_INTERVAL_MS = HOUR_MS;

interface HomeZoneOptions {
  readonly context: Pick<ServerContext, 'database' | 'identity' | 'now'> & { readonly log: FastifyBaseLogger };
  readonly store: UsageStore;
}

/**
 * Creates the service that rebuilds stored days when the home zone changes. The old days are read until the new ones
 * are complete.
 */
export function createHomeZone({ context: { database, identity, now, log }, store }: HomeZoneOptions) {
  const serialize = createKeyedQueue();
  const lastChangeByAccount = new Map<number, number>();
  let isStopped = false;
  const pendingRuns = new Set<Promise<void>>();

  const buildDays = async (
    account: number,
    { device, days }: { readonly device: number; readonly days: readonly Day[] },
    zone: ZoneDays,
  ): Promise<void> =>
    database.transaction(async ({ tx }) => {
      const revision = await store.revisions.increment(tx, account, zone.zone);
      // The home zone changed again meanwhile.
      if (revision.nextZone !== zone.zone) return;
      const tracksByDay = await store.segments.readDays(tx, device, days);
      const focusRanges = [...tracksByDay.values()].flatMap((tracks) =>
        tracks.flatMap(({ status, ranges }) => (status === 'on' ? ranges : [])),
      );
      await rewriteDays(store, { tx, device }, { days: zone, generation: revision.generation + 1 }, focusRanges);
    });

  /** Removes days of zones that are no longer used. Readers that started before the last change have finished. */
  async function removeOtherDays(account: number, generation: number): Promise<void> {
    for (const { id: device } of await store.devices.list(account))
      await database.transaction(async ({ tx }) => store.days.removeOtherGenerations(tx, device, generation));
  }

  /** Builds the days of a zone in batches, then switches reads to them. */
  async function rebuild(account: number, zone: string): Promise<void> {
    const before = await store.revisions.find(account);
    if (!before) return;
    await database.transaction(async ({ tx }) => store.revisions.setNextZone(tx, account, null));
    // Days of an interrupted attempt must not mix with these.
    await removeOtherDays(account, before.generation);
    const isNew = await database.transaction(async ({ tx }) => {
      const revision = await store.revisions.increment(tx, account, zone);
      if (revision.zone === zone) return false;
      await store.revisions.setNextZone(tx, account, zone);
      return true;
    });
    if (!isNew) return;
    const days = getZoneDays(zone);
    for (const { id: device } of await store.devices.list(account)) {
      const storedDays = await store.segments.listDaysWithData(database.db, device);
      for (let index = 0; index < storedDays.length; index += DAYS_PER_TRANSACTION) {
        if (isStopped) return;
        await buildDays(account, { device, days: storedDays.slice(index, index + DAYS_PER_TRANSACTION) }, days);
      }
    }
    await database.transaction(async ({ tx }) => {
      const revision = await store.revisions.increment(tx, account, zone);
      if (revision.nextZone === zone) await store.revisions.switchZone(tx, account, zone);
    });
  }

  async function followNow(account: number): Promise<void> {
    const zone = await identity.resolveZone(account);
    const revision = await store.revisions.find(account);
    if (!revision || isStopped || (revision.zone === zone && revision.nextZone === undefined)) return;
    await rebuild(account, zone);
  }
  /** Follows the home zone now. */
  const follow = async (account: number): Promise<void> => serialize(account, async () => followNow(account));
  const followAndCleanUp = async (account: number): Promise<void> =>
    serialize(account, async () => {
      await followNow(account);
      const revision = await store.revisions.find(account);
      if (revision && !isStopped) await removeOtherDays(account, revision.generation);
    });

  function scheduleFollow(account: number): void {
    const last = lastChangeByAccount.get(account);
    const time = now().epochMilliseconds;
    if (last !== undefined && time - last < MIN_CHANGE_INTERVAL_MS && time >= last) return;
    lastChangeByAccount.set(account, time);
    const run = follow(account)
      .catch((error: unknown) => log.error({ err: error, account }, 'screentime.home_zone.rebuild_failed'))
      .finally(() => pendingRuns.delete(run));
    pendingRuns.add(run);
  }

  return {
    follow,
    /** Follows the home zone in the background, at most once an hour. */
    scheduleFollow,
    nightly: async (): Promise<void> => {
      for (const account of await store.revisions.listAccounts()) await followAndCleanUp(account);
    },
    clearAccount: (account: number): void => void lastChangeByAccount.delete(account),
    stop: async (): Promise<void> => {
      isStopped = true;
      await Promise.all(pendingRuns);
    },
  };
}
