import type { Database } from '#platform/server/database/database.ts';
import type { Day } from '../../domain/days.ts';
import { ALL_APPLICATIONS } from '../../domain/track.ts';
import { createApplicationStore } from './applicationStore.ts';
import { createDayStore, createTotalStore } from './dayStore.ts';
import { createCursorStore, createUsageDeviceStore } from './deviceStore.ts';
import { createImportStore } from './importStore.ts';
import { createRevisionStore } from './revisionStore.ts';
import { createSegmentStore } from './segmentStore.ts';
import { createSlotStore } from './slotStore.ts';
import { selectDevices, withUsageTables } from './tables.ts';
import { createTitleStore } from './titleStore.ts';

/** Creates queries that read several tables. */
export function createReadingStore({ db }: Database) {
  const selectTotals = (account: number, device: number | undefined, application: number) =>
    withUsageTables(db)
      .selectFrom('screentime_total')
      .where('device', 'in', selectDevices(db, account))
      .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
      .where('application', '=', application);
  return {
    /** Start of the first focus, in seconds since the epoch; undefined if none. */
    findFirstUse: async (account: number, device: number | undefined): Promise<number | undefined> => {
      const row = await selectTotals(account, device, ALL_APPLICATIONS)
        .select((eb) => eb.fn.min<number | null>('first_use').as('first'))
        .executeTakeFirst();
      return row?.first ?? undefined;
    },
    /** First UTC day with data; undefined if none. */
    findFirstDay: async (account: number, device: number | undefined): Promise<Day | undefined> => {
      const row = await withUsageTables(db)
        .selectFrom('screentime_segment')
        .where('device', 'in', selectDevices(db, account))
        .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
        .select((eb) => eb.fn.min<number | null>('day').as('first'))
        .executeTakeFirst();
      return row?.first ?? undefined;
    },
    /** End of the last focus of an application, or of any. */
    findLastUse: async (
      account: number,
      device: number | undefined,
      application: number,
    ): Promise<number | undefined> => {
      const row = await selectTotals(account, device, application)
        .select((eb) => eb.fn.max<number | null>('last_use').as('last'))
        .executeTakeFirst();
      return row?.last ?? undefined;
    },
  };
}
export type ReadingStore = ReturnType<typeof createReadingStore>;

/** Creates all stores of usage. Every query names the account, and returns nothing of other accounts' devices. */
export function createUsageStore(database: Database) {
  return {
    revisions: createRevisionStore(database),
    devices: createUsageDeviceStore(database),
    applications: createApplicationStore(database),
    segments: createSegmentStore(database),
    slots: createSlotStore(database),
    days: createDayStore(database),
    totals: createTotalStore(database),
    cursors: createCursorStore(database),
    titles: createTitleStore(database),
    imports: createImportStore(database),
  };
}
export type UsageStore = ReturnType<typeof createUsageStore>;
