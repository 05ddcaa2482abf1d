import { DAY_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { realTimers, type Timers } from '#platform/server/schedule/timers.ts';
import { type ServerContext, type StartedServerTool, handle, type Handler } from '#platform/server/tool.ts';
import {
  usageChanged,
  reportusage,
  importactivitywatch,
  deletecomputerusage,
  mergecomputers,
  undoimport,
  usagecomputers,
  changeusage,
} from '../../contract.ts';
import { toIso } from '../domain/days.ts';
import { createApplicationIds, type FindNewCategories } from './applicationIds.ts';
import { checkUsage } from './checkUsage.ts';
import { createComputers, type ComputersOptions, type UsageComputers } from './computers.ts';
import { createUsageCorrector } from './corrections.ts';
import { createHomeZone } from './homeZone.ts';
import { createUsageRecorder } from './recording.ts';
import type { UsageStore } from './store/usageStores.ts';
import type { UsageChanges } from './usageChanges.ts';
import { createUsageImporter } from './usageImporter.ts';
import { createUsageIngest, type UsageIngest } from './usageIngest.ts';

const THROTTLE_INTERVAL_MS = 10_000;

export interface UsageNotifier {
  /** Notifies immediately, or after the interval since the last notification. */
  readonly notify: (account: number) => void;
  readonly stop: () => void;
}

/** Creates the notifier. It sends at most one event per account every 10 s, and always one for the last change. */
export function createUsageNotifier(send: (account: number) => void, timers: Timers = realTimers): UsageNotifier {
  /** Accounts in their interval: whether more changes arrived, and how to cancel the timer. */
  const throttled = new Map<number, { hasMore: boolean; readonly cancel: () => void }>();
  function notify(account: number): void {
    const throttle = throttled.get(account);
    if (throttle) {
      throttle.hasMore = true;
      return;
    }
    const cancel = timers.schedule(THROTTLE_INTERVAL_MS, () => {
      const hasMore = throttled.get(account)?.hasMore === true;
      throttled.delete(account);
      if (hasMore) notify(account);
    });
    throttled.set(account, { hasMore: false, cancel });
    send(account);
  }
  return {
    notify,
    stop: () => {
      for (const { cancel } of throttled.values()) cancel();
      throttled.clear();
    },
  };
}

/** Max segments per boot; no computer reaches it. */
const MAX_SEGMENTS_PER_BOOT = 1_000_000_000_000;

export function createReportHandlers(ingest: Pick<UsageIngest, 'ingest'>): readonly Handler[] {
  return [
    handle(reportusage, async ({ boot, seq, dropped = false, segments }, { account, device }) => {
      if (seq > MAX_SEGMENTS_PER_BOOT)
        throw new Refusal('screentime.seq_too_large', 'seq: is too large, start a new boot');
      const { taken, awaited, refused } = await ingest.ingest({ account, device, boot, seq, dropped, segments });
      return { taken, ...(awaited === undefined ? {} : { awaited }), ...(refused === 0 ? {} : { refused }) };
    }),
  ];
}

export function createCorrectionHandlers(correct: ReturnType<typeof createUsageCorrector>): readonly Handler[] {
  return [
    handle(changeusage, async ({ device, remove, add }, { account }) => {
      await correct({ account, device, remove, add });
    }),
  ];
}

export function createImportHandlers(importEvents: ReturnType<typeof createUsageImporter>): readonly Handler[] {
  return [
    handle(importactivitywatch, async ({ hostname, window, away, importid }, { account }) =>
      importEvents({ account, hostname, window, away, importid }),
    ),
  ];
}

export function createComputerHandlers(
  { imports }: Pick<UsageStore, 'imports'>,
  computers: UsageComputers,
): readonly Handler[] {
  return [
    handle(usagecomputers, async (_request, { account }) => ({
      computers: await computers.list(account),
      imports: (await imports.list(account)).map(({ first, last, ...usageImport }) => ({
        ...usageImport,
        first: toIso(first),
        last: toIso(last),
      })),
    })),
    handle(deletecomputerusage, async ({ id }, { account }) => {
      await computers.remove(account, id);
    }),
    handle(mergecomputers, async ({ from, into }, { account }) => computers.merge(account, from, into)),
    handle(undoimport, async ({ id }, { account }) => {
      await computers.undoImport(account, id);
    }),
  ];
}

const TITLE_RETENTION_MS = 30 * DAY_MS;
const BOOT_RETENTION_MS = 100 * DAY_MS;

interface UsageModuleOptions extends Pick<ComputersOptions, 'onMerge' | 'onPastChange'> {
  readonly store: UsageStore;
  readonly changes: UsageChanges;
  readonly findNewCategories: FindNewCategories;
  readonly onNewApplications: (account: number) => void;
}

/** Creates the services that receive, correct and store usage. */
export function createUsageModule(
  context: ServerContext,
  { store, changes, findNewCategories, onNewApplications, onMerge, onPastChange }: UsageModuleOptions,
): Required<Pick<StartedServerTool, 'calls' | 'checkData' | 'deleteAccountData' | 'nightly' | 'stop'>> {
  const { realtime, devices, now } = context;
  const ids = createApplicationIds(store, findNewCategories, context.cluster);
  const homeZone = createHomeZone({ context, store });
  const deps = { context, store, recording: createUsageRecorder(store), ids, changes, onNewApplications };
  const ingest = createUsageIngest({ ...deps, onHomeZoneMismatch: homeZone.scheduleFollow });
  const notifier = createUsageNotifier((account) => realtime.send(`account:${account}`, usageChanged, {}));
  changes.on(({ account }) => notifier.notify(account));

  /** Stores the current names, so that a removed computer is shown under its last one. */
  async function saveDeviceNames(): Promise<void> {
    for (const account of await store.revisions.listAccounts()) {
      const storedDevices = await store.devices.list(account);
      const names = new Map((await devices.list(account)).map(({ id, name }) => [id, name]));
      for (const device of storedDevices) {
        const name = names.get(device.id) ?? device.name;
        if (name !== device.name)
          await context.database.transaction(async ({ tx }) => store.devices.save(tx, account, { ...device, name }));
      }
    }
  }

  return {
    calls: [
      ...createReportHandlers(ingest),
      ...createCorrectionHandlers(createUsageCorrector(deps)),
      ...createImportHandlers(createUsageImporter(deps)),
      ...createComputerHandlers(
        store,
        createComputers({ ...deps, onMerge, onPastChange, onApplicationsRemoved: onNewApplications }),
      ),
    ],
    checkData: async (shouldRepair) => checkUsage({ database: context.database, store, changes }, shouldRepair),
    deleteAccountData: async (account) => {
      await ingest.clearAccount(account);
      homeZone.clearAccount(account);
    },
    nightly: async () => {
      const time = now().epochMilliseconds;
      await store.titles.purge((time - TITLE_RETENTION_MS) / 1000);
      await store.cursors.purge(time - BOOT_RETENTION_MS);
      await saveDeviceNames();
      await homeZone.nightly();
    },
    stop: async () => {
      notifier.stop();
      await homeZone.stop();
    },
  };
}
