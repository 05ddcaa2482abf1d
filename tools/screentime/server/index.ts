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
  ground: ServerContext,
  { usage, changes }: { readonly usage: UsageStore; readonly changes: UsageChanges },
): SortingAndGoalsDeps {
  const categories = categoryStore(ground.database);
  const goals = goalStore(ground.database);
  const running = createRunningApplications(ground);
  const hotkeys = createHotkeys(ground, { usage, categories });
  const sorting = createSorting(ground, { usage, categories }, hotkeys);
  const finished = createClosedDayCache(changes, MAX_CLOSED_DAY_CACHE_BYTES);
  const achieving = createAchievements({ usage, categories, finished });
  const reading = createGoalReader(ground, { usage, goals }, achieving);
  const nights = goalNights(ground, { goals, achieving });
  const limits = createLimits(ground, { goals, reading, changes });
  return {
    calls: [
      ...categoryCalls(ground, { usage, categories, sorting, hotkeys }),
      ...goalCalls(ground, { usage, categories, goals, reading, limits }),
    ],
    events: [...running.listeners, ...hotkeys.listeners],
    nightly: nights.nightly,
    forget: async (account) => finished.forget(account),
    stop: async () => {
      await limits.stop();
      await hotkeys.stop();
    },
    exportOf: async (account) => {
      const { categories: kept, sorting: sorted } = await sorting.standing(account);
      const results = await goals.results(account, 0);
      return {
        categories: kept.map(({ name, keys }) => ({
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
      ground.realtime.send(`account:${account}`, goalsChanged, {});
    },
    sortNew: sorting.categoriesOfNew,
    onNewApplications: sorting.tell,
  };
}

interface QuestionsOptions {
  readonly usage: UsageStore;
  readonly changes: UsageChanges;
  readonly running: RunningApplications;
}

/** Creates the handlers of calls that read usage. */
export function questions(
  ground: ServerContext,
  { usage, changes, running }: QuestionsOptions,
): { readonly calls: readonly Handler[]; readonly forget: (account: number) => void } {
  const { database } = ground;
  const finished = createClosedDayCache(changes);
  const sources: Sources = {
    usage,
    reading: readingStore(database),
    categories: categoryStore(database),
    running,
    finished,
  };
  return {
    calls: [applicationCalls, dayCalls, exportCalls].flatMap((calls) => calls(ground, sources)),
    forget: finished.forget,
  };
}

export const screentime: ServerTool = {
  name: 'screentime',
  migrations,
  start: (ground) => {
    const store = usageStore(ground.database);
    const changes = createChanges();
    const sorting = sortingAndGoals(ground, { usage: store, changes });
    const { running } = sorting;
    const measured = measuring(ground, { store, changes, ...sorting });
    const asked = questions(ground, { usage: store, changes, running });
    return {
      calls: [...measured.calls, ...asked.calls, ...sorting.calls],
      events: sorting.events,
      exportOf: async (account): Promise<unknown> =>
        Object.assign({}, await measured.exportOf(account), await sorting.exportOf(account)),
      exportHolds: measured.exportHolds,
      checkData: measured.checkData,
      forget: async (account) => {
        asked.forget(account);
        await sorting.forget(account);
        await measured.forget(account);
      },
      nightly: async () => {
        await measured.nightly();
        await sorting.nightly();
      },
      stop: async () => {
        await sorting.stop();
        await measured.stop();
      },
    };
  },
};
