import { useSyncExternalStore } from 'react';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { ALARM_LENGTH } from '../domain/alarm.ts';
import { lastEnd, look, SECOND, type Look, type Milliseconds } from '../domain/countdown.ts';
import { savedText, timersFrom } from '../domain/savedTimers.ts';
import { hasRunning, withCountdown, type NamedTimer, type Timers } from '../domain/timers.ts';
import { newClock, read, timeOf, type ClockReading } from './clock.ts';

/** Source: the specification. */
const TICK_MS = 100;

export interface Ticker {
  readonly run: (running: boolean) => void;
}

/** Beats ten times a second while it runs, in a worker; by the page's own timer where the worker cannot be had. What the time is says the clock, never the count of beats. */
export function createTicker(tick: () => void): Ticker {
  let running = false;
  let own: ReturnType<typeof setInterval> | undefined;
  let failed = false;

  const beatOneself = (): void => {
    clearInterval(own);
    own = running ? setInterval(tick, TICK_MS) : undefined;
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./tick.worker.ts', import.meta.url), { type: 'module' });
    started.addEventListener('message', tick);
    // Its file cannot be had, as without a line where nothing keeps it.
    started.addEventListener('error', () => {
      failed = true;
      beatOneself();
    });
    return started;
  };

  // At once: when it is wanted the line may be gone.
  const worker = start();
  return {
    run: (next) => {
      if (next === running) return;
      running = next;
      if (failed) return beatOneself();
      return worker.postMessage(running ? TICK_MS : 0, []);
    },
  };
}

/** The timers of this browser at one moment. */
export interface StoredTimers {
  readonly all: Timers;
  /** By the timers' own clock. */
  readonly now: Milliseconds;
  /** When the latest round ended that nobody has acted on. */
  readonly upAt?: Milliseconds;
}

/** What a look found: this timer's round has ended. */
export interface EndedTimer {
  readonly timer: NamedTimer;
  readonly look: Look;
  readonly at: Milliseconds;
}

const KEY = 'timer';
const reading = (): ClockReading => ({ steady: performance.now(), wall: Date.now() });

let clock = newClock(reading());
const time = (): Milliseconds => {
  const now = reading();
  clock = read(clock, now);
  return timeOf(clock, now);
};

let kept: StoredTimers = { all: timersFrom(browserStorage.get(KEY), Date.now()), now: time() };
const listeners = new Set<() => void>();
const hearers = new Set<(ended: readonly EndedTimer[]) => void>();
/** The same timers stand in every tab. */
const tabs = 'BroadcastChannel' in window ? new BroadcastChannel('pegboard.timer') : undefined;
const ticker = createTicker(() => settle());

/** Whether anything runs, the stopwatch too. */
export function isRunning(all: Timers): boolean {
  return all.stopwatch.since !== undefined || hasRunning(all);
}

const show = (next: StoredTimers): void => {
  kept = next;
  // After the last round too, until the page has been told that the alarm is over.
  ticker.run(isRunning(next.all) || (next.upAt !== undefined && next.now - next.upAt < ALARM_LENGTH + SECOND));
  for (const tell of listeners) tell();
};

const save = (all: Timers, now: Milliseconds): string => {
  const text = savedText(all, now, Date.now());
  browserStorage.set(KEY, text);
  return text;
};

/** Looks at what the time is, and tells of the rounds that have ended since. */
const settle = (): void => {
  const now = time();
  const ended = kept.all.timers.flatMap((timer): readonly EndedTimer[] => {
    const seen = look(timer.countdown, now);
    return seen.ends === 0 ? [] : [{ timer, look: seen, at: lastEnd(timer.countdown, now) ?? now }];
  });
  if (ended.length === 0) return show({ ...kept, now });
  const all = ended.reduce((next, { timer, look: seen }) => withCountdown(next, timer.id, seen.countdown), kept.all);
  save(all, now);
  show({ all, now, upAt: Math.max(...ended.map(({ at }) => at)) });
  for (const hear of hearers) hear(ended);
};

// What another tab did is taken as it stands, by the computer's clock that both have.
tabs?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (typeof data !== 'string') return;
  clock = newClock(reading());
  browserStorage.set(KEY, data);
  show({ all: timersFrom(data, Date.now()), now: time() });
});

/** The timers of this browser. They go on as long as the site is open, whichever of its pages is shown. */
export const keeper = {
  current: (): StoredTimers => kept,
  /** By the timers' own clock, at this very moment. */
  time,
  settle,
  /** Somebody does something: what has ended until now is told of first. */
  change: (act: (all: Timers, now: Milliseconds) => Timers): void => {
    settle();
    const { now } = kept;
    const all = act(kept.all, now);
    if (all === kept.all) return;
    const text = save(all, now);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    tabs?.postMessage(text);
    show({ all, now });
  },
  /** Somebody is there and has seen what has ended. */
  seen: (): void => {
    if (kept.upAt !== undefined) show({ all: kept.all, now: kept.now });
  },
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
  onEnds: (hear: (ended: readonly EndedTimer[]) => void): (() => void) => {
    hearers.add(hear);
    return () => hearers.delete(hear);
  },
};

/** Whether a round has ended just now: as long as the alarm sounds, unless somebody has acted. */
export function isUp({ now, upAt }: StoredTimers): boolean {
  return upAt !== undefined && now - upAt < ALARM_LENGTH;
}

export function useKept(): StoredTimers {
  return useSyncExternalStore(keeper.subscribe, keeper.current);
}
