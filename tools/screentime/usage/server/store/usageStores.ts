import type { Database } from '#platform/server/database/database.ts';
import type { Day } from '../../domain/days.ts';
import { ALL_APPLICATIONS } from '../../domain/track.ts';
import { applicationStore } from './applicationStore.ts';
import { dayStore, totalStore } from './dayStore.ts';
import { cursorStore, usageDeviceStore } from './deviceStore.ts';
import { importStore } from './importStore.ts';
import { bookStore } from './revisionStore.ts';
import { segmentStore } from './segmentStore.ts';
import { slotStore } from './slotStore.ts';
import { selectDevices, type UsageTables } from './tables.ts';
import { titleStore } from './titleStore.ts';

/** Creates queries that read several tables. */
export function readingStore({ db }: Database) {
  const totals = (account: number, device: number | undefined, application: number) =>
    db
      .$extendTables<UsageTables>()
      .selectFrom('screentime_total')
      .where('device', 'in', selectDevices(db, account))
      .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
      .where('application', '=', application);
  return {
    /** Start of the first focus, in seconds since the epoch; undefined if none. */
    findFirstUse: async (account: number, device: number | undefined): Promise<number | undefined> => {
      const row = await totals(account, device, ALL_APPLICATIONS)
        .select((is) => is.fn.min<number | null>('first_use').as('first'))
        .executeTakeFirst();
      return row?.first ?? undefined;
    },
    /** First UTC day with data; undefined if none. */
    findFirstDay: async (account: number, device: number | undefined): Promise<Day | undefined> => {
      const row = await db
        .$extendTables<UsageTables>()
        .selectFrom('screentime_segment')
        .where('device', 'in', selectDevices(db, account))
        .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
        .select((is) => is.fn.min<number | null>('day').as('first'))
        .executeTakeFirst();
      return row?.first ?? undefined;
    },
    /** End of the last focus of an application, or of any. */
    findLastUse: async (
      account: number,
      device: number | undefined,
      application: number,
    ): Promise<number | undefined> => {
      const row = await totals(account, device, application)
        .select((is) => is.fn.max<number | null>('last_use').as('last'))
        .executeTakeFirst();
      return row?.last ?? undefined;
    },
  };
}
export type ReadingStore = ReturnType<typeof readingStore>;

/** Creates all stores of usage. Every query names the account, and returns nothing of other accounts' devices. */
export function createUsageStore(database: Database) {
  return {
    book: bookStore(database),
    devices: usageDeviceStore(database),
    applications: applicationStore(database),
    segments: segmentStore(database),
    slots: slotStore(database),
    days: dayStore(database),
    totals: totalStore(database),
    cursors: cursorStore(database),
    titles: titleStore(database),
    imports: importStore(database),
  };
}
export type UsageStore = ReturnType<typeof createUsageStore>;
