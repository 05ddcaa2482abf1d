import { useMemo, useSyncExternalStore } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { formatClockTime } from '#platform/web/browser/formats.ts';
import { subscribeToClock } from '#platform/web/browser/subscribeToClock.ts';
import { getDayStart, getDayAt } from './localDays.ts';

/** The current time in the browser's zone. */
export interface Now {
  readonly today: Day;
  /** Elapsed minutes of today; clock changes count as they pass. */
  readonly elapsed: number;
  /** `14:12`. */
  readonly clock: string;
}

const getMinuteDelayMs = (): number => MINUTE_MS - (Date.now() % MINUTE_MS) + 20;
const subscribeToMinutes = (listener: () => void): (() => void) => subscribeToClock(getMinuteDelayMs, listener);
const getMinute = (): number => Math.floor(Date.now() / MINUTE_MS);

/** Returns the current time, updated every minute. */
export function useCurrentTime(): Now {
  const minute = useSyncExternalStore(subscribeToMinutes, getMinute);
  return useMemo(() => {
    const time = minute * MINUTE_MS;
    const today = getDayAt(time);
    return { today, elapsed: (time - getDayStart(today)) / MINUTE_MS, clock: formatClockTime(time) };
  }, [minute]);
}
