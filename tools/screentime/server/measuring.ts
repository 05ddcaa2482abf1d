import type { Ground, ServerParts } from '#platform/server/tool.ts';
import { usageChanged } from '../contract.ts';
import type { Span } from '../domain/segment.ts';
import { makeApplicationIds, type SortNew } from './applications.ts';
import { computerCalls } from './calls/computers.ts';
import { importCalls } from './calls/import.ts';
import { reportCalls } from './calls/report.ts';
import { storyCalls } from './calls/story.ts';
import type { UsageChanges } from './changes.ts';
import { makeComputers } from './computers.ts';
import { makeCorrecting } from './correcting.ts';
import { checkUsage } from './doctor.ts';
import { exportHolds, usageExportOf } from './export.ts';
import { makeHomeZone } from './homeZone.ts';
import { makeImporting } from './importing.ts';
import { makeIngest } from './ingest.ts';
import { makeNews } from './news.ts';
import { makeRecording } from './recording.ts';
import type { GoalStore } from './store/goals.ts';
import type { UsageStore } from './store/usage.ts';

const DAY_MS = 86_400_000;
const TITLES_KEPT_MS = 30 * DAY_MS;
const BOOTS_KEPT_MS = 100 * DAY_MS;

interface MeasuringOptions {
  readonly store: UsageStore;
  readonly changes: UsageChanges;
  readonly sortNew: SortNew;
  readonly onNewApplications: (account: number) => void;
  readonly goals: GoalStore;
  readonly recountGoals: (account: number, span: Span) => Promise<void>;
}

/** Usage as it comes in, is corrected, and is kept. */
export const measuring = (
  ground: Ground,
  { store, changes, sortNew, onNewApplications, goals, recountGoals }: MeasuringOptions,
): Required<Pick<ServerParts, 'calls' | 'checkData' | 'exportOf' | 'exportHolds' | 'forget' | 'nightly' | 'stop'>> => {
  const { realtime, devices, now } = ground;
  const ids = makeApplicationIds(store, sortNew);
  const homeZone = makeHomeZone({ ground, store });
  const parts = { ground, store, recording: makeRecording(store), ids, changes, onNewApplications };
  const ingest = makeIngest({ ...parts, onOtherHome: homeZone.followSoon });
  const news = makeNews((account) => realtime.send(`account:${account}`, usageChanged, {}));
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
      ...storyCalls(ground, store, makeCorrecting(parts)),
      ...importCalls(makeImporting(parts)),
      ...computerCalls(
        store,
        makeComputers({ ...parts, goals, recountGoals, onApplicationsRemoved: onNewApplications }),
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
      await store.titles.purge((time - TITLES_KEPT_MS) / 1000);
      await store.cursors.purge(time - BOOTS_KEPT_MS);
      await keepNames();
      await homeZone.nightly();
    },
    stop: async () => {
      news.stop();
      await homeZone.stop();
    },
  };
};
