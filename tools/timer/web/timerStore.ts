import { useSyncExternalStore } from 'react';
import { SECOND_MS } from '#platform/contract/duration.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { createListeners } from '#platform/web/store.ts';
import { ALARM_LENGTH_MS } from '../domain/alarm.ts';
import { getLastEnd, updateCountdown, type CountdownUpdate, type Milliseconds } from '../domain/countdown.ts';
import { serializeTimers, parseTimers } from '../domain/savedTimers.ts';
import { hasRunningTimer, withCountdown, type NamedTimer, type Timers } from '../domain/timers.ts';
import { type ClockReading, createClock, updateClock, getTime } from './clock.ts';

/** Specified in docs/specification/timer.md section 6. */
const TICK_INTERVAL_MS = 100;

export interface Ticker {
  readonly setRunning: (isRunning: boolean) => void;
}

/**
 * Creates a ticker that runs in a worker, or on the page's own timer if the worker can't be loaded.
 * Ticks only trigger updates: the time always comes from the clock.
 */
export function createTicker(onTick: () => void): Ticker {
  let isRunning = false;
  let fallbackTimer: ReturnType<typeof setInterval> | undefined;
  let hasFailed = false;

  function tickOnPage(): void {
    clearInterval(fallbackTimer);
    fallbackTimer = isRunning ? setInterval(onTick, TICK_INTERVAL_MS) : undefined;
  }
  function startWorker(): Worker {
    const tickWorker = new Worker(new URL('./tick.worker.ts', import.meta.url), { type: 'module' });
    tickWorker.addEventListener('message', onTick);
    // The worker's file can't be loaded, for example offline without a cached copy.
    tickWorker.addEventListener('error', () => {
      hasFailed = true;
      tickOnPage();
    });
    return tickWorker;
  }

  // Starts now, because the connection can be lost when the ticker is needed.
  const worker = startWorker();
  return {
    setRunning: (next) => {
      if (next === isRunning) return;
      isRunning = next;
      if (hasFailed) return tickOnPage();
      return worker.postMessage(isRunning ? TICK_INTERVAL_MS : 0, []);
    },
  };
}

/** The timers of this browser at one moment. */
export interface TimerSnapshot {
  readonly state: Timers;
  /** The moment, on the timers' own clock. */
  readonly now: Milliseconds;
  /** End of the latest round, until the user reacts. */
  readonly endedAt?: Milliseconds;
}

/** A timer whose round has ended. */
export interface EndedTimer {
  readonly timer: NamedTimer;
  readonly update: CountdownUpdate;
  readonly at: Milliseconds;
}

const STORAGE_KEY = 'timer';
const readClocks = (): ClockReading => ({ steady: performance.now(), wall: Date.now() });

let clock = createClock(readClocks());
function getNow(): Milliseconds {
  const reading = readClocks();
  clock = updateClock(clock, reading);
  return getTime(clock, reading);
}

let snapshot: TimerSnapshot = { state: parseTimers(browserStorage.get(STORAGE_KEY), Date.now()), now: getNow() };
const listeners = createListeners();
const endListeners = createListeners<[ended: readonly EndedTimer[]]>();
/** Shares the timers with other tabs. */
const tabChannel = 'BroadcastChannel' in window ? new BroadcastChannel('pegboard.timer') : undefined;
const ticker = createTicker(() => updateTime());

/** Returns whether any timer or the stopwatch is running. */
export function isAnythingRunning(state: Timers): boolean {
  return state.stopwatch.since !== undefined || hasRunningTimer(state);
}

function publish(next: TimerSnapshot): void {
  snapshot = next;
  // Keeps ticking after the last round, until the end of the alarm was published.
  ticker.setRunning(
    isAnythingRunning(next.state) ||
      (next.endedAt !== undefined && next.now - next.endedAt < ALARM_LENGTH_MS + SECOND_MS),
  );
  listeners.notify();
}

function save(state: Timers, now: Milliseconds): string {
  const text = serializeTimers(state, now, Date.now());
  browserStorage.set(STORAGE_KEY, text);
  return text;
}

/** Updates the time, and notifies listeners of rounds that have ended since the last update. */
function updateTime(): void {
  const now = getNow();
  const ended = snapshot.state.timers.flatMap((timer): readonly EndedTimer[] => {
    const update = updateCountdown(timer.countdown, now);
    return update.endCount === 0 ? [] : [{ timer, update, at: getLastEnd(timer.countdown, now) ?? now }];
  });
  if (ended.length === 0) return publish({ ...snapshot, now });
  const state = ended.reduce(
    (next, { timer, update }) => withCountdown(next, timer.id, update.countdown),
    snapshot.state,
  );
  save(state, now);
  publish({ state, now, endedAt: Math.max(...ended.map(({ at }) => at)) });
  endListeners.notify(ended);
}

// Takes over the state of another tab, based on the computer's clock, which both share.
tabChannel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (typeof data !== 'string') return;
  clock = createClock(readClocks());
  browserStorage.set(STORAGE_KEY, data);
  publish({ state: parseTimers(data, Date.now()), now: getNow() });
});

/** The timers of this browser. They run while the site is open, on any of its pages. */
export const timerStore = {
  getSnapshot: (): TimerSnapshot => snapshot,
  /** The current time on the timers' own clock. */
  getNow,
  updateTime,
  /** Changes the timers. Rounds that have ended until now are reported first. */
  change: (update: (state: Timers, now: Milliseconds) => Timers): void => {
    updateTime();
    const { now } = snapshot;
    const state = update(snapshot.state, now);
    if (state === snapshot.state) return;
    const text = save(state, now);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    tabChannel?.postMessage(text);
    publish({ state, now });
  },
  /** Marks the end of the round as seen by the user. */
  markSeen: (): void => {
    if (snapshot.endedAt !== undefined) publish({ state: snapshot.state, now: snapshot.now });
  },
  subscribe: listeners.subscribe,
  onEnd: endListeners.subscribe,
};

/** Returns whether a round has just ended: while the alarm sounds, unless the user has reacted. */
export function hasJustEnded({ now, endedAt }: TimerSnapshot): boolean {
  return endedAt !== undefined && now - endedAt < ALARM_LENGTH_MS;
}

export function useTimerSnapshot(): TimerSnapshot {
  return useSyncExternalStore(timerStore.subscribe, timerStore.getSnapshot);
}
