import { realTimers, type Timers } from '#platform/server/schedule/timers.ts';

const THROTTLE_INTERVAL_MS = 10_000;

export interface UsageNotifier {
  /** Tells at once, or when the pause since the last time is over. */
  readonly tell: (account: number) => void;
  readonly stop: () => void;
}

/** Tells of changes at most every 10 s an account, and of the last one always. */
export const createUsageNotifier = (send: (account: number) => void, timers: Timers = realTimers): UsageNotifier => {
  /** Accounts in their pause: whether something came meanwhile, and what ends the waiting. */
  const pausing = new Map<number, { hasMore: boolean; readonly callOff: () => void }>();
  const tell = (account: number): void => {
    const pause = pausing.get(account);
    if (pause) {
      pause.hasMore = true;
      return;
    }
    const callOff = timers.schedule(THROTTLE_INTERVAL_MS, () => {
      const hasMore = pausing.get(account)?.hasMore === true;
      pausing.delete(account);
      if (hasMore) tell(account);
    });
    pausing.set(account, { hasMore: false, callOff });
    send(account);
  };
  return {
    tell,
    stop: () => {
      for (const { callOff } of pausing.values()) callOff();
      pausing.clear();
    },
  };
};
