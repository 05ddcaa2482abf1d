import type { ServerTool } from '#platform/server/tool.ts';
import { usageStore } from '../usage/server/store/usageStores.ts';
import { createChanges } from '../usage/server/usageChanges.ts';
import { measuring } from '../usage/server/usageModule.ts';
import { migrations } from './migrations.ts';
import { questions } from './questions.ts';
import { sortingAndGoals } from './sortingAndGoals.ts';

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
