import type { Database } from '#platform/server/database/database.ts';
import { applicationStore } from './applications.ts';
import { bookStore } from './book.ts';
import { cursorStore } from './cursors.ts';
import { dayStore } from './days.ts';
import { usageDeviceStore } from './devices.ts';
import { importStore } from './imports.ts';
import { segmentStore } from './segments.ts';
import { slotStore } from './slots.ts';
import { titleStore } from './titles.ts';
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
