import { getHeapStatistics } from 'node:v8';
import { realTimers, type Timers } from '../schedule/timers.ts';

/** How often the event loop's delay is measured: each measurement wakes a server at rest. */
const SAMPLE_INTERVAL_MS = 1000;
/** Heap in use, of what V8 allows, above which requests are turned away. */
const MAX_HEAP_SHARE = 0.85;

export interface OverloadMonitor extends Disposable {
  /** Whether the event loop was held up for longer than allowed lately, or the heap is nearly full. */
  readonly isOverloaded: () => boolean;
  /** How late the event loop ran the last timer, or is running it now. */
  readonly eventLoopDelayMs: () => number;
}

/** Watches how late the event loop runs a timer; a `maxDelayMs` of 0 allows any delay. */
export function createOverloadMonitor({
  maxDelayMs,
  timers = realTimers,
}: {
  readonly maxDelayMs: number;
  readonly timers?: Timers;
}): OverloadMonitor {
  let dueAt = timers.now() + SAMPLE_INTERVAL_MS;
  let lastDelayMs = 0;
  const sample = (): void => {
    lastDelayMs = timers.now() - dueAt;
    dueAt = timers.now() + SAMPLE_INTERVAL_MS;
    cancel = timers.schedule(SAMPLE_INTERVAL_MS, sample);
  };
  let cancel = timers.schedule(SAMPLE_INTERVAL_MS, sample);

  // A timer that is overdue has not told its delay yet.
  const eventLoopDelayMs = (): number => Math.max(lastDelayMs, timers.now() - dueAt);

  function isOverloaded(): boolean {
    if (maxDelayMs > 0 && eventLoopDelayMs() > maxDelayMs) return true;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return used > MAX_HEAP_SHARE * limit;
  }

  return { isOverloaded, eventLoopDelayMs, [Symbol.dispose]: () => cancel() };
}
