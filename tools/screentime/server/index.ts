import type { ServerTool } from '#platform/server/tool.ts';
import { applicationCalls } from './calls/applications.ts';
import { dayCalls } from './calls/days.ts';
import { exportCalls } from './calls/export.ts';
import { makeChanges } from './changes.ts';
import { measuring } from './measuring.ts';
import { migrations } from './migrations/index.ts';
import { sortingAndGoals } from './sortingAndGoals.ts';
import { categoryStore } from './store/categories.ts';
import { readingStore } from './store/reading.ts';
import { usageStore } from './store/usage.ts';

export const screentime: ServerTool = {
  name: 'screentime',
  migrations,
  start: (ground) => {
    const { database } = ground;
    const store = usageStore(database);
    const changes = makeChanges();
    const sorting = sortingAndGoals(ground, { usage: store, changes });
    const { sortNew, onNewApplications, running } = sorting;
    const measured = measuring(ground, { store, changes, sortNew, onNewApplications });
    const sources = { usage: store, reading: readingStore(database), categories: categoryStore(database), running };
    return {
      calls: [
        ...measured.calls,
        ...[applicationCalls, dayCalls, exportCalls].flatMap((calls) => calls(ground, sources)),
        ...sorting.calls,
      ],
      events: sorting.events,
      exportOf: async (account): Promise<unknown> =>
        Object.assign({}, await measured.exportOf(account), await sorting.exportOf(account)),
      exportHolds: measured.exportHolds,
      forget: measured.forget,
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
