import type { ServerContext, StartedServerTool } from '#platform/server/tool.ts';
import { usageChanged } from '../../contract.ts';
import type { GoalStore } from '../../goals/server/goalStore.ts';
import { storyCalls } from '../../reading/server/storyHandlers.ts';
import type { SecondRange } from '../domain/track.ts';
import { createApplicationIds, type SortNew } from './applicationIds.ts';
import { computerCalls } from './callsComputers.ts';
import { createComputers } from './computers.ts';
import { createUsageCorrector } from './corrections.ts';
import { exportHolds, usageExportOf } from './export.ts';
import { createHomeZone } from './homeZone.ts';
import { importCalls } from './import.ts';
import { createUsageNotifier } from './news.ts';
import { createUsageRecorder } from './recording.ts';
import { reportCalls } from './report.ts';
import type { UsageStore } from './store/usageStores.ts';
import type { UsageChanges } from './usageChanges.ts';
import { checkUsage } from './usageDoctor.ts';
import { createUsageImporter } from './usageImporter.ts';
import { createUsageIngest } from './usageIngest.ts';

const DAY_MS = 86_400_000;
const TITLE_RETENTION_MS = 30 * DAY_MS;
const BOOT_RETENTION_MS = 100 * DAY_MS;

interface MeasuringOptions {
  readonly store: UsageStore;
  readonly changes: UsageChanges;
  readonly sortNew: SortNew;
  readonly onNewApplications: (account: number) => void;
  readonly goals: GoalStore;
  readonly recountGoals: (account: number, span: SecondRange) => Promise<void>;
}

/** Usage as it comes in, is corrected, and is kept. */
export const measuring = (
  ground: ServerContext,
  { store, changes, sortNew, onNewApplications, goals, recountGoals }: MeasuringOptions,
): Required<
  Pick<StartedServerTool, 'calls' | 'checkData' | 'exportOf' | 'exportHolds' | 'forget' | 'nightly' | 'stop'>
> => {
  const { realtime, devices, now } = ground;
  const ids = createApplicationIds(store, sortNew);
  const homeZone = createHomeZone({ ground, store });
  const parts = { ground, store, recording: createUsageRecorder(store), ids, changes, onNewApplications };
  const ingest = createUsageIngest({ ...parts, onOtherHome: homeZone.followSoon });
  const news = createUsageNotifier((account) => realtime.send(`account:${account}`, usageChanged, {}));
  changes.on(({ account }) => news.tell(account));

  /** A computer that is removed is known by the name that it had last. */
  const keepNames = async (): Promise<void> => {
    for (const account of await store.book.accounts()) {
      const kept = await store.devices.list(account);
      const names = new Map((await devices.list(account)).map(({ id, name }) => [id, name]));
      for (const one of kept) {
        const name = names.get(one.id) ?? one.name;
        if (name !== one.name)
          await ground.database.transaction(async ({ tx }) => store.devices.keep(tx, account, { ...one, name }));
      }
    }
  };

  return {
    calls: [
      ...reportCalls(ingest),
      ...storyCalls(ground, store, createUsageCorrector(parts)),
      ...importCalls(createUsageImporter(parts)),
      ...computerCalls(
        store,
        createComputers({ ...parts, goals, recountGoals, onApplicationsRemoved: onNewApplications }),
      ),
    ],
    checkData: async (mend) => checkUsage({ database: ground.database, store, changes }, mend),
    exportOf: usageExportOf(store),
    exportHolds,
    forget: async (account) => {
      await ingest.forget(account);
      homeZone.forget(account);
    },
    nightly: async () => {
      const time = now().epochMilliseconds;
      await store.titles.purge((time - TITLE_RETENTION_MS) / 1000);
      await store.cursors.purge(time - BOOT_RETENTION_MS);
      await keepNames();
      await homeZone.nightly();
    },
    stop: async () => {
      news.stop();
      await homeZone.stop();
    },
  };
};
