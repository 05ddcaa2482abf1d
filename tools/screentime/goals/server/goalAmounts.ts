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

/** The day that goals are evaluated for. */
export interface EvaluationDay {
  readonly days: ZoneDays;
  readonly today: Day;
  /** Last second that has passed, since the epoch. */
  readonly now: number;
}

interface TargetLookupDeps {
  readonly usage: UsageStore;
  readonly categories: CategoryStore;
}

/** Creates a function that returns the ids of the applications of a target; undefined for a deleted category. */
async function createTargetLookup({ usage, categories }: TargetLookupDeps, account: number) {
  const [applications, storedCategories] = await Promise.all([
    usage.applications.list(account),
    categories.list(account),
  ]);
  const idByName = new Map(applications.map(({ id, name }) => [toWireName(name), id]));
  const applicationsByCategory = Map.groupBy(applications, ({ category }) => category);
  const categoryIdByName = new Map<string, number | undefined>(storedCategories.map(({ id, name }) => [name, id]));
  categoryIdByName.set(UNASSIGNED, undefined);
  return ({ kind, name }: Goal['target']): readonly number[] | undefined => {
    if (kind === 'app') {
      if (name === TOTAL) return [ALL_APPLICATIONS];
      const id = idByName.get(name);
      return id === undefined ? [] : [id];
    }
    if (!categoryIdByName.has(name)) return undefined;
    return (applicationsByCategory.get(categoryIdByName.get(name)) ?? []).map(({ id }) => id);
  };
}

/** Use of one application on one device, by day or within part of a day. */
interface ApplicationUse extends Pick<DaySeries, 'device' | 'application' | 'days' | 'seconds' | 'opened'> {}

/** A goal with its applications and its start. */
interface EvaluatedGoal extends GoalQuery {
  readonly applications: ReadonlySet<number>;
  /** Start of its days, in seconds since the epoch. */
  readonly start: number;
  /** First day of the home zone that is completely after `start`. */
  readonly firstWholeDay: Day;
}

/** Sums the numbers of the days from `first` on. Days must be sorted. */
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

interface GoalAmountsDeps extends TargetLookupDeps {
  readonly closedDays: ClosedDayCache;
}

/** Estimated memory of one use. */
const USE_BYTES = 250;

/**
 * Creates the service that computes how much of each goal was reached. Whole days of the home zone are stored; part of
 * the first day of another zone is counted from segments.
 */
export function createGoalAmounts({ closedDays, ...stores }: GoalAmountsDeps) {
  const { usage } = stores;

  /** Loads the use in a part of a day, which counts for that day. */
  async function loadUsesBefore(account: number, day: Day, range: SecondRange): Promise<readonly ApplicationUse[]> {
    if (range.from >= range.until) return [];
    const partOfDay: ZoneDays = {
      zone: '',
      getStart: (startedDay) => (startedDay === day ? range.from : range.until),
      getDay: () => day,
    };
    async function compute() {
      const deviceTracks = await usage.segments.listBetween(account, {
        from: range.from - MIN_REOPEN_GAP_SECONDS,
        until: range.until,
      });
      const value = deviceTracks.flatMap(({ device, tracks }) => {
        const focus = collectFocus([day], () => tracks);
        return [...listUses(focus, partOfDay, [day], [ALL_APPLICATIONS, ...focus.keys()])].flatMap(
          ([application, [use]]) =>
            use ? [{ device, application, days: [day], seconds: [use.seconds], opened: [use.opened] }] : [],
        );
      });
      return { value, bytes: value.length * USE_BYTES };
    }
    return closedDays.getOrCompute(account, { key: `before ${day} ${range.from} ${range.until}`, ...range }, compute);
  }

  /** Loads the use on stored days, by block. Goals that start in the same block share their days. */
  async function loadWholeDays(
    account: number,
    generation: number,
    evaluatedGoals: readonly EvaluatedGoal[],
    until: Day,
  ): Promise<ReadonlyMap<number, readonly ApplicationUse[]>> {
    const usesByBlock = new Map<number, readonly ApplicationUse[]>();
    for (const [block, blockGoals] of Map.groupBy(evaluatedGoals, getBlock)) {
      const applications = [...new Set(blockGoals.flatMap((goal) => [...goal.applications]))];
      const from = Math.min(...blockGoals.map(({ firstWholeDay }) => firstWholeDay));
      if (applications.length > 0 && from <= until)
        usesByBlock.set(block, await usage.days.listBetween(account, { generation, applications, from, until }));
    }
    return usesByBlock;
  }

  return {
    /** Returns the amount of each goal by `now`, in the order of the queries. */
    compute: async (
      account: number,
      queries: readonly GoalQuery[],
      { days, today, now }: EvaluationDay,
    ): Promise<readonly GoalAmount[]> => {
      if (queries.length === 0) return [];
      const findTarget = await createTargetLookup(stores, account);
      const targets = queries.map(({ goal }) => findTarget(goal.target));
      const amounts = await readAtRevision(usage, account, async ({ zone, generation }) => {
        const home = getZoneDays(zone);
        const evaluatedGoals = queries.map((query, index): EvaluatedGoal => {
          const start = days.getStart(today - query.goal.days + 1);
          const first = home.getDay(start);
          const firstWholeDay = home.getStart(first) === start ? first : first + 1;
          return { ...query, applications: new Set(targets[index]), start, firstWholeDay };
        });
        const usesByBlock = await loadWholeDays(account, generation, evaluatedGoals, home.getDay(now));
        const sums: number[] = [];
        for (const goal of evaluatedGoals) {
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
export type GoalAmounts = ReturnType<typeof createGoalAmounts>;

/** Returns a complete day to evaluate goals for. */
export function getDayEnd(days: ZoneDays, day: Day): EvaluationDay {
  return { days, today: day, now: days.getStart(day + 1) - 1 };
}
