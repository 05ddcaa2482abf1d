import type { Database } from '#platform/server/database/database.ts';
import { applicationStore } from './applicationStore.ts';
import { cursorStore } from './cursors.ts';
import { dayStore } from './dayStore.ts';
import { usageDeviceStore } from './deviceStore.ts';
import { importStore } from './importStore.ts';
import { bookStore } from './revisionStore.ts';
import { segmentStore } from './segmentStore.ts';
import { slotStore } from './slotStore.ts';
import { titleStore } from './titleStore.ts';
import { totalStore } from './totals.ts';

/** All that is kept of usage. Every question names the account, and gives nothing of another one's devices. */
export const usageStore = (database: Database) => ({
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
});
export type UsageStore = ReturnType<typeof usageStore>;
