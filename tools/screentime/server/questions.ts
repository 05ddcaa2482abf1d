import type { Ground, Handler } from '#platform/server/tool.ts';
import { applicationCalls } from './calls/applications.ts';
import { dayCalls } from './calls/days.ts';
import { exportCalls } from './calls/export.ts';
import type { UsageChanges } from './changes.ts';
import { makeFinished } from './finished.ts';
import type { Running } from './running.ts';
import type { Sources } from './sources.ts';
import { categoryStore } from './store/categories.ts';
import { readingStore } from './store/reading.ts';
import type { UsageStore } from './store/usage.ts';

interface QuestionsOptions {
  readonly usage: UsageStore;
  readonly changes: UsageChanges;
  readonly running: Running;
}

/** What pages ask about usage. */
export const questions = (
  ground: Ground,
  { usage, changes, running }: QuestionsOptions,
): { readonly calls: readonly Handler[]; readonly forget: (account: number) => void } => {
  const { database } = ground;
  const finished = makeFinished(changes);
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
