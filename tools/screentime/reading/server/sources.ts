import type { CategoryStore } from '../../sorting/server/categoryStore.ts';
import type { RunningApplications } from '../../usage/server/runningApplications.ts';
import type { ReadingStore } from '../../usage/server/store/reading.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import type { ClosedDayCache } from './closedDayCache.ts';

/** What questions about use are answered from. */
export interface Sources {
  readonly usage: UsageStore;
  readonly reading: ReadingStore;
  readonly categories: CategoryStore;
  readonly running: RunningApplications;
  readonly finished: ClosedDayCache;
}
