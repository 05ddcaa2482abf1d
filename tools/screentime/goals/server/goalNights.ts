import type { ServerContext } from '#platform/server/tool.ts';
import { DELETED_GOAL_TTL_MS } from '../../contract/limits.ts';
import { getZoneDays, type Day, type ZoneDays } from '../../usage/domain/days.ts';
import type { SecondRange } from '../../usage/domain/track.ts';
import { versionOn } from '../domain/goal.ts';
import { getDayEnd, type Achievements } from './achievements.ts';
import type { GoalDay, GoalStore, GoalVersion } from './goalStore.ts';

/** Days whose results are recomputed, because computers report late. */
const RECOUNT_DAYS = 7;

/** Stores the result of each goal at the end of each day, because goals and categories change later. */
export function goalNights(
  { database, identity, now, log }: Pick<ServerContext, 'database' | 'identity' | 'now' | 'log'>,
  { goals, achieving }: { readonly goals: GoalStore; readonly achieving: Achievements },
): {
  readonly nightly: () => Promise<void>;
  readonly recount: (account: number, span: SecondRange) => Promise<void>;
} {
  /** Computes the results of the versions on a day, each with its goal. */
  const computeResults = async (account: number, days: ZoneDays, day: Day, versions: readonly GoalVersion[]) => {
    const queries = versions.map(({ goal }) => ({ goal, device: goal.device }));
    const done = await achieving.done(account, queries, getDayEnd(days, day));
    return versions.map(({ id, goal }, at): [number, GoalDay] => [
      id,
      { day, done: done[at]?.done ?? 0, amount: goal.amount, isLimit: goal.isLimit },
    ]);
  };

  const recount = async (account: number, span: SecondRange): Promise<void> => {
    const days = getZoneDays(await identity.resolveZone(account));
    const versions = Map.groupBy(await goals.listVersions(account), ({ id }) => id);
    const [first, last] = [days.getDay(span.from), days.getDay(span.until - 1)];
    const due = new Map<Day, GoalVersion[]>();
    for (const [id, results] of await goals.readResults(account, first))
      for (const { day } of results) {
        const version = versionOn(versions.get(id) ?? [], day);
        if (!version || day >= last + version.goal.days) continue;
        const own = due.get(day) ?? [];
        due.set(day, own);
        own.push(version);
      }
    const results = new Map<number, GoalDay[]>();
    for (const [day, own] of due)
      for (const [id, result] of await computeResults(account, days, day, own))
        results.set(id, [...(results.get(id) ?? []), result]);
    await database.transaction(async ({ tx }) => goals.saveResults(tx, account, results));
  };

  const storeMissingResults = async (account: number): Promise<void> => {
    const days = getZoneDays(await identity.resolveZone(account));
    const today = days.getDay(Math.floor(now().epochMilliseconds / 1000));
    const versions = Map.groupBy(await goals.listVersions(account), ({ id }) => id);
    const last = await goals.readLastResults(account);
    const from = (id: number): Day =>
      Math.max(versions.get(id)?.[0]?.since ?? today, Math.min(last.get(id) ?? 0, today - RECOUNT_DAYS - 1) + 1);
    const results = new Map<number, GoalDay[]>();
    const first = Math.min(today, ...[...versions.keys()].map(from));
    for (let day = first; day < today; day += 1) {
      const due = [...versions].flatMap(([id, own]) => (day < from(id) ? [] : (versionOn(own, day) ?? [])));
      for (const [id, result] of await computeResults(account, days, day, due)) {
        const own = results.get(id) ?? [];
        results.set(id, own);
        own.push(result);
      }
    }
    await database.transaction(async ({ tx }) => goals.saveResults(tx, account, results));
  };

  return {
    nightly: async () => {
      await goals.purge(now().epochMilliseconds - DELETED_GOAL_TTL_MS);
      for (const account of await goals.listAccounts())
        await storeMissingResults(account).catch((error: unknown) =>
          log.error({ err: error, account }, 'screentime.goals.results_unsaved'),
        );
    },
    /** Recomputes the results that usage in this range affects. */
    recount,
  };
}
