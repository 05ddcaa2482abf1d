import { getOrCreateList } from '#platform/contract/groupBy.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { DELETED_GOAL_TTL_MS } from '../../contract/limits.ts';
import { getZoneDays, type Day, type ZoneDays } from '../../usage/domain/days.ts';
import type { SecondRange } from '../../usage/domain/track.ts';
import { findVersion } from '../domain/goal.ts';
import { getDayEnd, type GoalAmounts } from './goalAmounts.ts';
import type { GoalDay, GoalStore, GoalVersion } from './goalStore.ts';

/** Days whose results are recomputed, because computers report late. */
const RECOUNT_DAYS = 7;

/** Stores the result of each goal at the end of each day, because goals and categories change later. */
export function createGoalResults(
  { database, identity, now, log }: Pick<ServerContext, 'database' | 'identity' | 'now' | 'log'>,
  { goals, goalAmounts }: { readonly goals: GoalStore; readonly goalAmounts: GoalAmounts },
) {
  /** Returns the results of the versions on a day, each with the id of its goal. */
  async function computeResults(account: number, days: ZoneDays, day: Day, versions: readonly GoalVersion[]) {
    const queries = versions.map(({ goal }) => ({ goal, device: goal.device }));
    const amounts = await goalAmounts.compute(account, queries, getDayEnd(days, day));
    return versions.map(({ id, goal }, index): [number, GoalDay] => [
      id,
      { day, done: amounts[index]?.done ?? 0, amount: goal.amount, isLimit: goal.isLimit },
    ]);
  }

  /** Recomputes and stores the results that usage in this range affects. */
  async function recompute(account: number, range: SecondRange): Promise<void> {
    const days = getZoneDays(await identity.resolveZone(account));
    const versionsByGoal = Map.groupBy(await goals.listVersions(account), ({ id }) => id);
    const [first, last] = [days.getDay(range.from), days.getDay(range.until - 1)];
    const versionsByDay = new Map<Day, GoalVersion[]>();
    for (const [id, results] of await goals.listResults(account, first))
      for (const { day } of results) {
        const version = findVersion(versionsByGoal.get(id) ?? [], day);
        if (!version || day >= last + version.goal.days) continue;
        getOrCreateList(versionsByDay, day).push(version);
      }
    const newResults = new Map<number, GoalDay[]>();
    for (const [day, dayVersions] of versionsByDay)
      for (const [id, result] of await computeResults(account, days, day, dayVersions))
        getOrCreateList(newResults, id).push(result);
    await database.transaction(async ({ tx }) => goals.saveResults(tx, account, newResults));
  }

  /** Computes and stores the results of an account up to yesterday that are missing or recent. */
  async function storeMissingResults(account: number): Promise<void> {
    const days = getZoneDays(await identity.resolveZone(account));
    const today = days.getDay(Math.floor(now().epochMilliseconds / 1000));
    const versionsByGoal = Map.groupBy(await goals.listVersions(account), ({ id }) => id);
    const lastResultDayByGoal = await goals.getLastResultDays(account);
    const getFirstMissingDay = (id: number): Day =>
      Math.max(
        versionsByGoal.get(id)?.[0]?.since ?? today,
        Math.min(lastResultDayByGoal.get(id) ?? 0, today - RECOUNT_DAYS - 1) + 1,
      );
    const newResults = new Map<number, GoalDay[]>();
    const first = Math.min(today, ...[...versionsByGoal.keys()].map(getFirstMissingDay));
    for (let day = first; day < today; day += 1) {
      const dueVersions = [...versionsByGoal].flatMap(([id, goalVersions]) =>
        day < getFirstMissingDay(id) ? [] : (findVersion(goalVersions, day) ?? []),
      );
      for (const [id, result] of await computeResults(account, days, day, dueVersions))
        getOrCreateList(newResults, id).push(result);
    }
    await database.transaction(async ({ tx }) => goals.saveResults(tx, account, newResults));
  }

  return {
    /** Stores the missing results of all accounts. */
    storeMissing: async (): Promise<void> => {
      await goals.purge(now().epochMilliseconds - DELETED_GOAL_TTL_MS);
      for (const account of await goals.listAccounts())
        await storeMissingResults(account).catch((error: unknown) =>
          log.error({ err: error, account }, 'screentime.goals.results_unsaved'),
        );
    },
    recompute,
  };
}
