import type { ServerContext, Handler } from '#platform/server/tool.ts';
import { applicationCalls } from '../reading/server/applicationHandlers.ts';
import { createClosedDayCache } from '../reading/server/closedDayCache.ts';
import { dayCalls } from '../reading/server/dayHandlers.ts';
import { exportCalls } from '../reading/server/export.ts';
import type { Sources } from '../reading/server/sources.ts';
import { categoryStore } from '../sorting/server/categoryStore.ts';
import type { RunningApplications } from '../usage/server/runningApplications.ts';
import { readingStore } from '../usage/server/store/reading.ts';
import type { UsageStore } from '../usage/server/store/usageStores.ts';
import type { UsageChanges } from '../usage/server/usageChanges.ts';

interface QuestionsOptions {
  readonly usage: UsageStore;
  readonly changes: UsageChanges;
  readonly running: RunningApplications;
}

/** What pages ask about usage. */
export const questions = (
  ground: ServerContext,
  { usage, changes, running }: QuestionsOptions,
): { readonly calls: readonly Handler[]; readonly forget: (account: number) => void } => {
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
};
