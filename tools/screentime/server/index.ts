import type { ServerTool, ServerContext, StartedServerTool, Handler } from '#platform/server/tool.ts';
import { goalsChanged, hotkeysChanged } from '../contract.ts';
import { createGoalAmounts } from '../goals/server/goalAmounts.ts';
import { createGoalHandlers } from '../goals/server/goalHandlers.ts';
import { createGoalReader } from '../goals/server/goalReader.ts';
import { createGoalResults } from '../goals/server/goalResults.ts';
import { createGoalStore } from '../goals/server/goalStore.ts';
import { createLimitNotices } from '../goals/server/limitNotices.ts';
import { createApplicationHandlers } from '../reading/server/applicationHandlers.ts';
import { createClosedDayCache } from '../reading/server/closedDayCache.ts';
import { createDayHandlers, createExportHandlers } from '../reading/server/dayHandlers.ts';
import { exportDescription, createStoryHandlers, createUsageExporter } from '../reading/server/storyHandlers.ts';
import type { UsageQueryDeps } from '../reading/server/usageQueries.ts';
import { createCategoryStore } from '../sorting/server/categoryStore.ts';
import { createHotkeys } from '../sorting/server/hotkeys.ts';
import { createSorting } from '../sorting/server/sorting.ts';
import { createSortingHandlers } from '../sorting/server/sortingHandlers.ts';
import { toIso } from '../usage/domain/days.ts';
import type { FindNewCategories } from '../usage/server/applicationIds.ts';
import type { ComputersOptions } from '../usage/server/computers.ts';
import { createRunningApplications, type RunningApplications } from '../usage/server/runningApplications.ts';
import { createUsageStore, type UsageStore, createReadingStore } from '../usage/server/store/usageStores.ts';
import { createUsageChanges, type UsageChanges } from '../usage/server/usageChanges.ts';
import { createUsageModule } from '../usage/server/usageModule.ts';
import { migrations } from './migrations.ts';
import { createUsageImport } from './usageImport.ts';

/** Memory for partial days of zones other than the home zone. */
const MAX_CLOSED_DAY_CACHE_BYTES = 8 * 1024 * 1024;

interface SortingAndGoals
  extends
    Required<Pick<StartedServerTool, 'calls' | 'events' | 'nightly' | 'stop' | 'exportAccount' | 'deleteAccountData'>>,
    Pick<ComputersOptions, 'onMerge' | 'onPastChange'> {
  readonly running: RunningApplications;
  /** Sorts new applications. */
  readonly findNewCategories: FindNewCategories;
  /** Called when there are new applications. */
  readonly onNewApplications: (account: number) => void;
}

/** Creates categories with rules and hotkeys, and goals with limits. */
export function createSortingAndGoals(
  context: ServerContext,
  { usage, changes }: { readonly usage: UsageStore; readonly changes: UsageChanges },
): SortingAndGoals {
  const categories = createCategoryStore(context.database);
  const goals = createGoalStore(context.database);
  const running = createRunningApplications(context);
  const hotkeys = createHotkeys(context, { usage, categories });
  const sorting = createSorting(context, { usage, categories }, hotkeys);
  const closedDays = createClosedDayCache(changes, MAX_CLOSED_DAY_CACHE_BYTES);
  const goalAmounts = createGoalAmounts({ usage, categories, closedDays });
  const goalReader = createGoalReader(context, { usage, goals, goalAmounts });
  const goalResults = createGoalResults(context, { goals, goalAmounts });
  const limitNotices = createLimitNotices(context, { goals, goalReader, changes });
  return {
    calls: [
      ...createSortingHandlers(context, { usage, categories, sorting, hotkeys }),
      ...createGoalHandlers(context, { usage, categories, goals, goalReader, limitNotices }),
    ],
    events: [...running.listeners, ...hotkeys.listeners],
    nightly: goalResults.storeMissing,
    deleteAccountData: async (account) => closedDays.clearAccount(account),
    stop: async () => {
      await limitNotices.stop();
      await hotkeys.stop();
    },
    exportAccount: async (account) => {
      const { categories: storedCategories, sorting: assignment } = await sorting.getCurrent(account);
      const results = await goals.listResults(account, 0);
      return {
        categories: storedCategories.map(({ name, keys }) => ({
          name,
          ...keys,
          applications: [...assignment.categoryByApplication].flatMap(([application, category]) =>
            category === name ? [application] : [],
          ),
        })),
        unassigned: assignment.unassignedKeys,
        rules: await categories.listRules(account),
        goals: (await goals.listVersions(account)).map(({ id, version, since, goal, deviceName }) => ({
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
    onMerge: goals.moveDevice,
    onPastChange: async (account, range) => {
      await goalResults.recompute(account, range);
      context.realtime.send(`account:${account}`, goalsChanged, {});
    },
    findNewCategories: sorting.findNewCategories,
    onNewApplications: sorting.notify,
  };
}

interface QueriesOptions {
  readonly usage: UsageStore;
  readonly changes: UsageChanges;
  readonly running: RunningApplications;
}

/** Creates the handlers of calls that read usage. */
export function createQueries(
  context: ServerContext,
  { usage, changes, running }: QueriesOptions,
): { readonly calls: readonly Handler[]; readonly forget: (account: number) => void } {
  const { database } = context;
  const closedDays = createClosedDayCache(changes);
  const deps: UsageQueryDeps = {
    usage,
    reading: createReadingStore(database),
    categories: createCategoryStore(database),
    running,
    closedDays,
  };
  return {
    calls: [createApplicationHandlers, createDayHandlers, createExportHandlers, createStoryHandlers].flatMap((create) =>
      create(context, deps),
    ),
    forget: closedDays.clearAccount,
  };
}

export const screentime: ServerTool = {
  name: 'screentime',
  services: ['database', 'identity', 'realtime', 'devices', 'cluster'],
  migrations,
  start: (context) => {
    const store = createUsageStore(context.database);
    const changes = createUsageChanges(context.cluster);
    const sorting = createSortingAndGoals(context, { usage: store, changes });
    const { running } = sorting;
    const usageModule = createUsageModule(context, { store, changes, ...sorting });
    const exportUsage = createUsageExporter(store);
    const queries = createQueries(context, { usage: store, changes, running });
    return {
      calls: [...usageModule.calls, ...queries.calls, ...sorting.calls],
      events: sorting.events,
      newestEvents: [hotkeysChanged],
      exportAccount: async (account): Promise<unknown> =>
        Object.assign({}, await exportUsage(account), await sorting.exportAccount(account)),
      exportDescription,
      importAccount: createUsageImport(context, {
        usage: store,
        changes,
        onImported: (account) => {
          sorting.onNewApplications(account);
          context.realtime.send(`account:${account}`, goalsChanged, {});
        },
      }),
      checkData: usageModule.checkData,
      deleteAccountData: async (account) => {
        queries.forget(account);
        await sorting.deleteAccountData(account);
        await usageModule.deleteAccountData(account);
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
