import type { ClosedDayCache } from './finished.ts';
import type { RunningApplications } from './running.ts';
import type { CategoryStore } from './store/categories.ts';
import type { ReadingStore } from './store/reading.ts';
import type { UsageStore } from './store/usage.ts';

/** What questions about use are answered from. */
export interface Sources {
  readonly usage: UsageStore;
  readonly reading: ReadingStore;
  readonly categories: CategoryStore;
  readonly running: RunningApplications;
  readonly finished: ClosedDayCache;
}
