import { useSyncExternalStore } from 'react';
import { SECOND_MS } from '#platform/contract/duration.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { createListeners } from '#platform/web/store.ts';
import { ALARM_LENGTH } from '../domain/alarm.ts';
import { lastEnd, look, type Look, type Milliseconds } from '../domain/countdown.ts';
import { serializeTimers, timersFrom } from '../domain/savedTimers.ts';
import { hasRunning, withCountdown, type NamedTimer, type Timers } from '../domain/timers.ts';
import { type ClockReading, newClock, read, getTime } from './clock.ts';

/** Specified in docs/specification/timer.md section 6. */
const TICK_MS = 100;

export interface Ticker {
  readonly run: (running: boolean) => void;
}

/**
 * Creates a ticker that runs in a worker, or on the page's own timer if the worker can't be loaded.
 * Ticks only trigger updates: the time always comes from the clock.
 */
export function createTicker(tick: () => void): Ticker {
  let running = false;
  let fallbackTimer: ReturnType<typeof setInterval> | undefined;
  let failed = false;

  const tickOnPage = (): void => {
    clearInterval(fallbackTimer);
    fallbackTimer = running ? setInterval(tick, TICK_MS) : undefined;
  };
  const startWorker = (): Worker => {
    const created = new Worker(new URL('./tick.worker.ts', import.meta.url), { type: 'module' });
    created.addEventListener('message', tick);
    // The worker's file can't be loaded, for example offline without a cached copy.
    created.addEventListener('error', () => {
      failed = true;
      tickOnPage();
    });
    return created;
  };

  // Starts now, because the connection can be lost when the ticker is needed.
  const worker = startWorker();
  return {
    run: (next) => {
      if (next === running) return;
      running = next;
      if (failed) return tickOnPage();
      return worker.postMessage(running ? TICK_MS : 0, []);
    },
  };
}

/** The timers of this browser at one moment. */
export interface StoredTimers {
  readonly all: Timers;
  /** On the timers' own clock. */
  readonly now: Milliseconds;
  /** End of the latest round, until the user reacts. */
  readonly upAt?: Milliseconds;
}

/** A timer whose round has ended. */
export interface EndedTimer {
  readonly timer: NamedTimer;
  readonly look: Look;
  readonly at: Milliseconds;
}

const STORAGE_KEY = 'timer';
const readClocks = (): ClockReading => ({ steady: performance.now(), wall: Date.now() });

let clock = newClock(readClocks());
const time = (): Milliseconds => {
  const reading = readClocks();
  clock = read(clock, reading);
  return getTime(clock, reading);
};

let stored: StoredTimers = { all: timersFrom(browserStorage.get(STORAGE_KEY), Date.now()), now: time() };
const listeners = createListeners();
const endListeners = createListeners<[ended: readonly EndedTimer[]]>();
/** Shares the timers with other tabs. */
const tabChannel = 'BroadcastChannel' in window ? new BroadcastChannel('pegboard.timer') : undefined;
const ticker = createTicker(() => settle());

/** Returns whether any timer or the stopwatch is running. */
export function isRunning(all: Timers): boolean {
  return all.stopwatch.since !== undefined || hasRunning(all);
}

const publish = (next: StoredTimers): void => {
  stored = next;
  // Keeps ticking after the last round, until the end of the alarm was published.
  ticker.run(isRunning(next.all) || (next.upAt !== undefined && next.now - next.upAt < ALARM_LENGTH + SECOND_MS));
  listeners.notify();
};

const save = (all: Timers, now: Milliseconds): string => {
  const text = serializeTimers(all, now, Date.now());
  browserStorage.set(STORAGE_KEY, text);
  return text;
};

/** Updates the time, and notifies listeners of rounds that have ended since the last update. */
const settle = (): void => {
  const now = time();
  const ended = stored.all.timers.flatMap((timer): readonly EndedTimer[] => {
    const result = look(timer.countdown, now);
    return result.ends === 0 ? [] : [{ timer, look: result, at: lastEnd(timer.countdown, now) ?? now }];
  });
  if (ended.length === 0) return publish({ ...stored, now });
  const all = ended.reduce(
    (next, { timer, look: result }) => withCountdown(next, timer.id, result.countdown),
    stored.all,
  );
  save(all, now);
  publish({ all, now, upAt: Math.max(...ended.map(({ at }) => at)) });
  endListeners.notify(ended);
};

// Takes over the state of another tab, based on the computer's clock, which both share.
tabChannel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (typeof data !== 'string') return;
  clock = newClock(readClocks());
  browserStorage.set(STORAGE_KEY, data);
  publish({ all: timersFrom(data, Date.now()), now: time() });
});

/** The timers of this browser. They run while the site is open, on any of its pages. */
export const keeper = {
  current: (): StoredTimers => stored,
  /** The current time on the timers' own clock. */
  time,
  settle,
  /** Changes the timers. Rounds that have ended until now are reported first. */
  change: (update: (all: Timers, now: Milliseconds) => Timers): void => {
    settle();
    const { now } = stored;
    const all = update(stored.all, now);
    if (all === stored.all) return;
    const text = save(all, now);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    tabChannel?.postMessage(text);
    publish({ all, now });
  },
  /** Marks the end of the round as seen by the user. */
  seen: (): void => {
    if (stored.upAt !== undefined) publish({ all: stored.all, now: stored.now });
  },
  subscribe: listeners.subscribe,
  onEnds: endListeners.subscribe,
};

/** Returns whether a round has just ended: while the alarm sounds, unless the user has reacted. */
export function isUp({ now, upAt }: StoredTimers): boolean {
  return upAt !== undefined && now - upAt < ALARM_LENGTH;
}

export function useStoredTimers(): StoredTimers {
  return useSyncExternalStore(keeper.subscribe, keeper.current);
}
