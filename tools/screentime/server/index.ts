import type { ServerTool, ServerContext, StartedServerTool, Handler } from '#platform/server/tool.ts';
import { goalsChanged } from '../contract.ts';
import { createAchievements } from '../goals/server/achievements.ts';
import { goalCalls } from '../goals/server/goalHandlers.ts';
import { goalNights } from '../goals/server/goalNights.ts';
import { createGoalReader } from '../goals/server/goalReader.ts';
import { goalStore, type GoalStore } from '../goals/server/goalStore.ts';
import { createLimits } from '../goals/server/limitNotices.ts';
import { applicationCalls } from '../reading/server/applicationHandlers.ts';
import { createClosedDayCache } from '../reading/server/closedDayCache.ts';
import { dayCalls, exportCalls } from '../reading/server/dayHandlers.ts';
import type { Sources } from '../reading/server/usageQueries.ts';
import { categoryStore } from '../sorting/server/categoryStore.ts';
import { createHotkeys } from '../sorting/server/hotkeys.ts';
import { createSorting } from '../sorting/server/sorting.ts';
import { categoryCalls } from '../sorting/server/sortingHandlers.ts';
import { toIso } from '../usage/domain/days.ts';
import type { SecondRange } from '../usage/domain/track.ts';
import type { SortNew } from '../usage/server/applicationIds.ts';
import { createRunningApplications, type RunningApplications } from '../usage/server/runningApplications.ts';
import { usageStore, type UsageStore, readingStore } from '../usage/server/store/usageStores.ts';
import { createChanges, type UsageChanges } from '../usage/server/usageChanges.ts';
import { measuring } from '../usage/server/usageModule.ts';
import { migrations } from './migrations.ts';

/** Memory for partial days of zones other than the home zone. */
const MAX_CLOSED_DAY_CACHE_BYTES = 8 * 1024 * 1024;

interface SortingAndGoalsDeps extends Required<
  Pick<StartedServerTool, 'calls' | 'events' | 'nightly' | 'stop' | 'exportOf' | 'forget'>
> {
  readonly running: RunningApplications;
  readonly goals: GoalStore;
  /** Recomputes the results of goals that usage in this range affects. */
  readonly recountGoals: (account: number, span: SecondRange) => Promise<void>;
  /** Sorts new applications. */
  readonly sortNew: SortNew;
  /** Called when there are new applications. */
  readonly onNewApplications: (account: number) => void;
}

/** Creates categories with rules and hotkeys, and goals with limits. */
export function sortingAndGoals(
  context: ServerContext,
  { usage, changes }: { readonly usage: UsageStore; readonly changes: UsageChanges },
): SortingAndGoalsDeps {
  const categories = categoryStore(context.database);
  const goals = goalStore(context.database);
  const running = createRunningApplications(context);
  const hotkeys = createHotkeys(context, { usage, categories });
  const sorting = createSorting(context, { usage, categories }, hotkeys);
  const finished = createClosedDayCache(changes, MAX_CLOSED_DAY_CACHE_BYTES);
  const achieving = createAchievements({ usage, categories, finished });
  const reading = createGoalReader(context, { usage, goals }, achieving);
  const nights = goalNights(context, { goals, achieving });
  const limits = createLimits(context, { goals, reading, changes });
  return {
    calls: [
      ...categoryCalls(context, { usage, categories, sorting, hotkeys }),
      ...goalCalls(context, { usage, categories, goals, reading, limits }),
    ],
    events: [...running.listeners, ...hotkeys.listeners],
    nightly: nights.nightly,
    forget: async (account) => finished.forget(account),
    stop: async () => {
      await limits.stop();
      await hotkeys.stop();
    },
    exportOf: async (account) => {
      const { categories: storedCategories, sorting: sorted } = await sorting.standing(account);
      const results = await goals.results(account, 0);
      return {
        categories: storedCategories.map(({ name, keys }) => ({
          name,
          ...keys,
          applications: [...sorted.categoryOf].flatMap(([application, category]) =>
            category === name ? [application] : [],
          ),
        })),
        unassigned: sorted.unassignedKeys,
        rules: await categories.rules(account),
        goals: (await goals.versions(account)).map(({ id, version, since, goal, deviceName }) => ({
          id,
          version,
          since: toIso(since),
          ...goal,
          deviceName,
        })),
        goalResults: [...results].map(([goal, days]) => ({
          goal,
          days: days.map(({ day, ...result }) => ({ date: toIso(day), ...result })),
        })),
      };
    },
    running,
    goals,
    recountGoals: async (account, span) => {
      await nights.recount(account, span);
      context.realtime.send(`account:${account}`, goalsChanged, {});
    },
    sortNew: sorting.categoriesOfNew,
    onNewApplications: sorting.notify,
  };
}

interface QuestionsOptions {
  readonly usage: UsageStore;
  readonly changes: UsageChanges;
  readonly running: RunningApplications;
}

/** Creates the handlers of calls that read usage. */
export function questions(
  context: ServerContext,
  { usage, changes, running }: QuestionsOptions,
): { readonly calls: readonly Handler[]; readonly forget: (account: number) => void } {
  const { database } = context;
  const finished = createClosedDayCache(changes);
  const sources: Sources = {
    usage,
    reading: readingStore(database),
    categories: categoryStore(database),
    running,
    finished,
  };
  return {
    calls: [applicationCalls, dayCalls, exportCalls].flatMap((calls) => calls(context, sources)),
    forget: finished.forget,
  };
}

export const screentime: ServerTool = {
  name: 'screentime',
  migrations,
  start: (context) => {
    const store = usageStore(context.database);
    const changes = createChanges();
    const sorting = sortingAndGoals(context, { usage: store, changes });
    const { running } = sorting;
    const usageModule = measuring(context, { store, changes, ...sorting });
    const queries = questions(context, { usage: store, changes, running });
    return {
      calls: [...usageModule.calls, ...queries.calls, ...sorting.calls],
      events: sorting.events,
      exportOf: async (account): Promise<unknown> =>
        Object.assign({}, await usageModule.exportOf(account), await sorting.exportOf(account)),
      exportHolds: usageModule.exportHolds,
      checkData: usageModule.checkData,
      forget: async (account) => {
        queries.forget(account);
        await sorting.forget(account);
        await usageModule.forget(account);
      },
      nightly: async () => {
        await usageModule.nightly();
        await sorting.nightly();
      },
      stop: async () => {
        await sorting.stop();
        await usageModule.stop();
      },
    };
  },
};
