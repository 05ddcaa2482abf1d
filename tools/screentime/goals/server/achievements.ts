import { TOTAL, UNASSIGNED } from '../../contract/limits.ts';
import type { ClosedDayCache } from '../../reading/server/closedDayCache.ts';
import { byBook, DAYS_PER_BLOCK } from '../../reading/server/usageQueries.ts';
import type { CategoryStore } from '../../sorting/server/categoryStore.ts';
import { getZoneDays, type Day, type ZoneDays } from '../../usage/domain/days.ts';
import { OPENED_AFTER, listUses } from '../../usage/domain/deviceRecord.ts';
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

export interface Done {
  /** Seconds, or number of times. */
  readonly done: number;
  readonly isCategoryGone: boolean;
}

/** Days up to the evaluated one, and the last second that has passed. */
export interface GoalDays {
  readonly days: ZoneDays;
  readonly today: Day;
  /** Seconds since the epoch. */
  readonly now: number;
}

interface Stores {
  readonly usage: UsageStore;
  readonly categories: CategoryStore;
}

/** Creates a lookup of the application ids that count for a target; undefined for a deleted category. */
const createTargetLookup = async ({ usage, categories }: Stores, account: number) => {
  const [applications, stored] = await Promise.all([usage.applications.list(account), categories.list(account)]);
  const byName = new Map(applications.map(({ id, name }) => [toWireName(name), id]));
  const byCategory = Map.groupBy(applications, ({ category }) => category);
  const categoryIds = new Map<string, number | undefined>(stored.map(({ id, name }) => [name, id]));
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
};

/** Use of one application on one device, by day or within part of a day. */
interface Use extends Pick<DaySeries, 'device' | 'application' | 'days' | 'seconds' | 'opened'> {}

/** A goal with its applications and its start. */
interface EvaluatedGoal extends GoalQuery {
  readonly applications: ReadonlySet<number>;
  /** Start of its days in seconds, and the first day of the home zone that is completely after it. */
  readonly start: number;
  readonly firstWhole: Day;
}

const sumSince = (numbers: readonly number[], days: readonly Day[], first: Day): number => {
  let all = 0;
  for (let at = days.length - 1; at >= 0 && (days[at] ?? 0) >= first; at -= 1) all += numbers[at] ?? 0;
  return all;
};

const sumAmount = ({ goal, device, applications, firstWhole }: EvaluatedGoal, uses: readonly Use[]): number => {
  let done = 0;
  for (const { days, seconds, opened, ...use } of uses)
    if (applications.has(use.application) && (device === undefined || use.device === device))
      done += sumSince(goal.measure === 'time' ? seconds : opened, days, firstWhole);
  return done;
};

const getBlock = ({ firstWhole }: EvaluatedGoal): number => Math.floor(firstWhole / DAYS_PER_BLOCK);

interface AchievementsDeps extends Stores {
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

  /** Returns use before the start of a day, which counts for that day. */
  const usesBefore = async (account: number, day: Day, range: SecondRange): Promise<readonly Use[]> => {
    if (range.from >= range.until) return [];
    const oneDay: ZoneDays = { zone: '', getStart: (at) => (at === day ? range.from : range.until), getDay: () => day };
    const make = async () => {
      const all = await usage.segments.listBetween(account, { from: range.from - OPENED_AFTER, until: range.until });
      const value = all.flatMap(({ device, tracks }) => {
        const focus = collectFocus([day], () => tracks);
        return [...listUses(focus, oneDay, [day], [ALL_APPLICATIONS, ...focus.keys()])].flatMap(
          ([application, [use]]) =>
            use ? [{ device, application, days: [day], seconds: [use.seconds], opened: [use.opened] }] : [],
        );
      });
      return { value, bytes: value.length * USE_BYTES };
    };
    return closedDays.getOrCompute(account, { name: `before ${day} ${range.from} ${range.until}`, ...range }, make);
  };

  /** Reads stored days once for all goals that start in them. */
  const wholeDays = async (
    account: number,
    generation: number,
    evaluated: readonly EvaluatedGoal[],
    until: Day,
  ): Promise<ReadonlyMap<number, readonly Use[]>> => {
    const usesByBlock = new Map<number, readonly Use[]>();
    for (const [block, own] of Map.groupBy(evaluated, getBlock)) {
      const applications = [...new Set(own.flatMap((one) => [...one.applications]))];
      const from = Math.min(...own.map(({ firstWhole }) => firstWhole));
      if (applications.length > 0 && from <= until)
        usesByBlock.set(block, await usage.days.listBetween(account, { generation, applications, from, until }));
    }
    return usesByBlock;
  };

  return {
    /** Returns the amount of each goal by `when.now`, in order. In any zone, nothing is used after now. */
    done: async (
      account: number,
      all: readonly GoalQuery[],
      { days, today, now }: GoalDays,
    ): Promise<readonly Done[]> => {
      if (all.length === 0) return [];
      const findTarget = await createTargetLookup(stores, account);
      const targets = all.map(({ goal }) => findTarget(goal.target));
      const done = await byBook(usage, account, async ({ zone, generation }) => {
        const home = getZoneDays(zone);
        const evaluated = all.map((one, at): EvaluatedGoal => {
          const start = days.getStart(today - one.goal.days + 1);
          const first = home.getDay(start);
          const firstWhole = home.getStart(first) === start ? first : first + 1;
          return { ...one, applications: new Set(targets[at]), start, firstWhole };
        });
        const whole = await wholeDays(account, generation, evaluated, home.getDay(now));
        const sums: number[] = [];
        for (const one of evaluated) {
          const range = { from: one.start, until: home.getStart(one.firstWhole) };
          const before = await usesBefore(account, one.firstWhole, range);
          sums.push(sumAmount(one, before) + sumAmount(one, whole.get(getBlock(one)) ?? []));
        }
        return sums;
      });
      return targets.map((target, at) => ({ done: done?.[at] ?? 0, isCategoryGone: target === undefined }));
    },
  };
}
export type Achievements = ReturnType<typeof createAchievements>;

/** Returns the end of a complete day. */
export function getDayEnd(days: ZoneDays, day: Day): GoalDays {
  return { days, today: day, now: days.getStart(day + 1) - 1 };
}
