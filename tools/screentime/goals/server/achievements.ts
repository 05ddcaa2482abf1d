import { TOTAL, UNASSIGNED } from '../../contract/limits.ts';
import type { ClosedDayCache } from '../../reading/server/closedDayCache.ts';
import { readAtRevision, DAYS_PER_BLOCK } from '../../reading/server/usageQueries.ts';
import type { CategoryStore } from '../../sorting/server/categoryStore.ts';
import { getZoneDays, type Day, type ZoneDays } from '../../usage/domain/days.ts';
import { MIN_REOPEN_GAP_SECONDS, listUses } from '../../usage/domain/deviceRecord.ts';
import { ALL_APPLICATIONS, type SecondRange } from '../../usage/domain/track.ts';
import { toWireName } from '../../usage/domain/usageReport.ts';
import { collectFocus } from '../../usage/server/recording.ts';
import type { DaySeries } from '../../usage/server/store/dayStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import type { Goal } from '../domain/goal.ts';

/** A goal and the device it is evaluated for. */
export interface GoalQuery {
  readonly goal: Goal;
  /** The goal's computer, or the one to which a goal for all is restricted; undefined: all. */
  readonly device: number | undefined;
}

export interface GoalAmount {
  /** Seconds, or number of times. */
  readonly done: number;
  readonly isCategoryDeleted: boolean;
}

/** Days up to the evaluated one, and the last second that has passed. */
export interface GoalDays {
  readonly days: ZoneDays;
  readonly today: Day;
  /** Seconds since the epoch. */
  readonly now: number;
}

interface TargetLookupDeps {
  readonly usage: UsageStore;
  readonly categories: CategoryStore;
}

/** Creates a lookup of the application ids that count for a target; undefined for a deleted category. */
async function createTargetLookup({ usage, categories }: TargetLookupDeps, account: number) {
  const [applications, storedCategories] = await Promise.all([
    usage.applications.list(account),
    categories.list(account),
  ]);
  const byName = new Map(applications.map(({ id, name }) => [toWireName(name), id]));
  const byCategory = Map.groupBy(applications, ({ category }) => category);
  const categoryIds = new Map<string, number | undefined>(storedCategories.map(({ id, name }) => [name, id]));
  categoryIds.set(UNASSIGNED, undefined);
  return ({ kind, name }: Goal['target']): readonly number[] | undefined => {
    if (kind === 'app') {
      if (name === TOTAL) return [ALL_APPLICATIONS];
      const id = byName.get(name);
      return id === undefined ? [] : [id];
    }
    if (!categoryIds.has(name)) return undefined;
    return (byCategory.get(categoryIds.get(name)) ?? []).map(({ id }) => id);
  };
}

/** Use of one application on one device, by day or within part of a day. */
interface ApplicationUse extends Pick<DaySeries, 'device' | 'application' | 'days' | 'seconds' | 'opened'> {}

/** A goal with its applications and its start. */
interface EvaluatedGoal extends GoalQuery {
  readonly applications: ReadonlySet<number>;
  /** Start of its days in seconds, and the first day of the home zone that is completely after it. */
  readonly start: number;
  readonly firstWholeDay: Day;
}

function sumSince(numbers: readonly number[], days: readonly Day[], first: Day): number {
  let sum = 0;
  for (let index = days.length - 1; index >= 0 && (days[index] ?? 0) >= first; index -= 1) sum += numbers[index] ?? 0;
  return sum;
}

function sumAmount(
  { goal, device, applications, firstWholeDay }: EvaluatedGoal,
  uses: readonly ApplicationUse[],
): number {
  let amount = 0;
  for (const { days, seconds, opened, ...use } of uses)
    if (applications.has(use.application) && (device === undefined || use.device === device))
      amount += sumSince(goal.measure === 'time' ? seconds : opened, days, firstWholeDay);
  return amount;
}

const getBlock = ({ firstWholeDay }: EvaluatedGoal): number => Math.floor(firstWholeDay / DAYS_PER_BLOCK);

interface AchievementsDeps extends TargetLookupDeps {
  readonly closedDays: ClosedDayCache;
}

/** Estimated memory of one use. */
const USE_BYTES = 250;

/**
 * Creates the evaluation of goals. Whole days of the home zone are stored; part of the first day of another zone is
 * counted from segments.
 */
export function createAchievements({ closedDays, ...stores }: AchievementsDeps) {
  const { usage } = stores;

  /** Loads the use in a part of a day, which counts for that day. */
  async function loadUsesBefore(account: number, day: Day, range: SecondRange): Promise<readonly ApplicationUse[]> {
    if (range.from >= range.until) return [];
    const oneDay: ZoneDays = { zone: '', getStart: (at) => (at === day ? range.from : range.until), getDay: () => day };
    async function compute() {
      const deviceTracks = await usage.segments.listBetween(account, {
        from: range.from - MIN_REOPEN_GAP_SECONDS,
        until: range.until,
      });
      const value = deviceTracks.flatMap(({ device, tracks }) => {
        const focus = collectFocus([day], () => tracks);
        return [...listUses(focus, oneDay, [day], [ALL_APPLICATIONS, ...focus.keys()])].flatMap(
          ([application, [use]]) =>
            use ? [{ device, application, days: [day], seconds: [use.seconds], opened: [use.opened] }] : [],
        );
      });
      return { value, bytes: value.length * USE_BYTES };
    }
    return closedDays.getOrCompute(account, { key: `before ${day} ${range.from} ${range.until}`, ...range }, compute);
  }

  /** Loads stored days, once for all goals that start in the same block. */
  async function loadWholeDays(
    account: number,
    generation: number,
    evaluated: readonly EvaluatedGoal[],
    until: Day,
  ): Promise<ReadonlyMap<number, readonly ApplicationUse[]>> {
    const usesByBlock = new Map<number, readonly ApplicationUse[]>();
    for (const [block, blockGoals] of Map.groupBy(evaluated, getBlock)) {
      const applications = [...new Set(blockGoals.flatMap((goal) => [...goal.applications]))];
      const from = Math.min(...blockGoals.map(({ firstWholeDay }) => firstWholeDay));
      if (applications.length > 0 && from <= until)
        usesByBlock.set(block, await usage.days.listBetween(account, { generation, applications, from, until }));
    }
    return usesByBlock;
  }

  return {
    /** Computes the amount of each goal by `now`, in order. */
    computeAmounts: async (
      account: number,
      queries: readonly GoalQuery[],
      { days, today, now }: GoalDays,
    ): Promise<readonly GoalAmount[]> => {
      if (queries.length === 0) return [];
      const findTarget = await createTargetLookup(stores, account);
      const targets = queries.map(({ goal }) => findTarget(goal.target));
      const amounts = await readAtRevision(usage, account, async ({ zone, generation }) => {
        const home = getZoneDays(zone);
        const evaluated = queries.map((query, index): EvaluatedGoal => {
          const start = days.getStart(today - query.goal.days + 1);
          const first = home.getDay(start);
          const firstWholeDay = home.getStart(first) === start ? first : first + 1;
          return { ...query, applications: new Set(targets[index]), start, firstWholeDay };
        });
        const usesByBlock = await loadWholeDays(account, generation, evaluated, home.getDay(now));
        const sums: number[] = [];
        for (const goal of evaluated) {
          const range = { from: goal.start, until: home.getStart(goal.firstWholeDay) };
          const usesBefore = await loadUsesBefore(account, goal.firstWholeDay, range);
          sums.push(sumAmount(goal, usesBefore) + sumAmount(goal, usesByBlock.get(getBlock(goal)) ?? []));
        }
        return sums;
      });
      return targets.map((target, index) => ({ done: amounts?.[index] ?? 0, isCategoryDeleted: target === undefined }));
    },
  };
}
export type Achievements = ReturnType<typeof createAchievements>;

/** Returns the end of a complete day. */
export function getDayEnd(days: ZoneDays, day: Day): GoalDays {
  return { days, today: day, now: days.getStart(day + 1) - 1 };
}
