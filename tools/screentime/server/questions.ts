import type { ServerContext, Handler } from '#platform/server/tool.ts';
import { applicationCalls } from './calls/applications.ts';
import { dayCalls } from './calls/days.ts';
import { exportCalls } from './calls/export.ts';
import type { UsageChanges } from './changes.ts';
import { createClosedDayCache } from './finished.ts';
import type { RunningApplications } from './running.ts';
import type { Sources } from './sources.ts';
import { categoryStore } from './store/categories.ts';
import { readingStore } from './store/reading.ts';
import type { UsageStore } from './store/usage.ts';

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
