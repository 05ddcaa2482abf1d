import { TOTAL, UNASSIGNED } from '../contract/limits.ts';
import { daysOf, type Day, type ZoneDays } from '../domain/days.ts';
import type { Goal } from '../domain/goal.ts';
import { OPENED_AFTER, usesOf } from '../domain/recount.ts';
import { ALL_APPLICATIONS, type Span } from '../domain/segment.ts';
import { wireName } from '../domain/wireName.ts';
import { byBook } from './reading.ts';
import { focusOf } from './recording.ts';
import type { CategoryStore } from './store/categories.ts';
import type { UsageStore } from './store/usage.ts';

/** What a goal is looked at for. */
export interface Asked {
  readonly goal: Goal;
  /** Its own computer, or the one that a goal for all of them is looked at for; undefined: all. */
  readonly device: number | undefined;
}

export interface Done {
  /** Seconds, or times. */
  readonly done: number;
  readonly isCategoryGone: boolean;
}

/** The days that count, and the last second that is over. */
export interface When {
  readonly days: ZoneDays;
  readonly today: Day;
  /** Seconds since the epoch. */
  readonly now: number;
}

interface Stores {
  readonly usage: UsageStore;
  readonly categories: CategoryStore;
}

/** By the goal's target the ids of the applications that count; undefined for a category that is gone. */
const targetsOf = async ({ usage, categories }: Stores, account: number) => {
  const [applications, kept] = await Promise.all([usage.applications.list(account), categories.list(account)]);
  const byName = new Map(applications.map(({ id, name }) => [wireName(name), id]));
  const byCategory = Map.groupBy(applications, ({ category }) => category);
  const categoryIds = new Map<string, number | undefined>(kept.map(({ id, name }) => [name, id]));
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

/** One application on one device in the time asked for. */
interface Use {
  readonly device: number;
  readonly application: number;
  readonly seconds: number;
  readonly opened: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** What goals come to. Whole days of the home zone are kept; of another zone's first day the part that they do not cover is counted by its segments. */
export const makeAchieving = (stores: Stores) => {
  const { usage } = stores;

  const usesBetween = async (account: number, span: Span, applications: readonly number[]): Promise<readonly Use[]> => {
    if (span.from >= span.until) return [];
    const all = await usage.segments.between(account, { from: span.from - OPENED_AFTER, until: span.until });
    const once: ZoneDays = { zone: '', startOf: (day) => (day === 0 ? span.from : span.until), dayOf: () => 0 };
    return all.flatMap(({ device, tracks }) => {
      const uses = usesOf(
        focusOf([0], () => tracks),
        once,
        [0],
        applications,
      );
      return [...uses].flatMap(([application, days]) => days.map((use) => ({ device, application, ...use })));
    });
  };

  /** Whoever asks where a day begins at other times than at home gets what is the same: nothing is used later than now. */
  const usesSince = async (
    account: number,
    { days, now }: When,
    from: Day,
    applications: readonly number[],
  ): Promise<readonly Use[]> => {
    if (applications.length === 0) return [];
    const start = days.startOf(from);
    const uses = await byBook(usage, account, async ({ zone, generation }) => {
      const home = daysOf(zone);
      const first = home.dayOf(start);
      const next = home.startOf(first) === start ? first : first + 1;
      const edge = await usesBetween(account, { from: start, until: home.startOf(next) }, applications);
      const range = { from: next, until: home.dayOf(now) };
      const series = await usage.days.between(account, { generation, applications, ...range });
      const whole = series.map(({ seconds, opened, ...of }) => ({ ...of, seconds: sum(seconds), opened: sum(opened) }));
      return [...edge, ...whole];
    });
    return uses ?? [];
  };

  return {
    /** What each of them comes to by `when.now`, at the same place. */
    done: async (account: number, all: readonly Asked[], when: When): Promise<readonly Done[]> => {
      if (all.length === 0) return [];
      const targetOf = await targetsOf(stores, account);
      const targets = all.map(({ goal }) => targetOf(goal.target));
      const found = new Map<number, readonly Use[]>();
      for (const days of new Set(all.map(({ goal }) => goal.days))) {
        const applications = new Set(all.flatMap(({ goal }, at) => (goal.days === days ? (targets[at] ?? []) : [])));
        found.set(days, await usesSince(account, when, when.today - days + 1, [...applications]));
      }
      return all.map(({ goal, device }, at) => {
        const target = new Set(targets[at]);
        const own = (found.get(goal.days) ?? []).filter(
          (use) => target.has(use.application) && (device === undefined || use.device === device),
        );
        const done = sum(own.map(({ seconds, opened }) => (goal.measure === 'time' ? seconds : opened)));
        return { done, isCategoryGone: targets[at] === undefined };
      });
    },
  };
};
export type Achieving = ReturnType<typeof makeAchieving>;

/** The end of a day that is over. */
export const endOf = (days: ZoneDays, day: Day): When => ({ days, today: day, now: days.startOf(day + 1) - 1 });
