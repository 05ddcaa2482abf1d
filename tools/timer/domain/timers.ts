import { newCountdown, type Countdown } from './countdown.ts';
import { NEW_STOPWATCH, type Stopwatch } from './stopwatch.ts';

export interface NamedTimer {
  /** 1 or more, and no other timer's. */
  readonly id: number;
  /** 1 to `NAME_LIMIT` characters on one line. */
  readonly name: string;
  readonly countdown: Countdown;
}

/** All that the page keeps. */
export interface Timers {
  /** 1 to `MOST_TIMERS`. */
  readonly timers: readonly NamedTimer[];
  /** The id of the one that is shown. */
  readonly chosen: number;
  readonly stopwatch: Stopwatch;
}

export const MAX_TIMERS = 20;
export const NAME_LIMIT = 40;

export function newTimers(): Timers {
  return {
    timers: [{ id: 1, name: 'Timer', countdown: newCountdown() }],
    chosen: 1,
    stopwatch: NEW_STOPWATCH,
  };
}

/** A timer's name, or the sentence to show beside the field. */
export function readName(typed: string): { readonly name: string } | { readonly problem: string } {
  const name = typed.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim();
  if (name === '') return { problem: 'Write a name for the timer.' };
  if (Array.from(name).length > NAME_LIMIT) return { problem: `Write at most ${NAME_LIMIT} characters.` };
  return { name };
}

export function chosenTimer({ timers, chosen }: Timers): NamedTimer | undefined {
  return timers.find(({ id }) => id === chosen);
}

/** Whether a countdown runs, of whichever timer. */
export function hasRunning({ timers }: Timers): boolean {
  return timers.some(({ countdown }) => countdown.since !== undefined);
}

const freeName = (timers: readonly NamedTimer[], id: number): string => {
  const name = `Timer ${id}`;
  return timers.some((timer) => timer.name === name) ? freeName(timers, id + 1) : name;
};

/** A new timer, chosen, by the name given or one that is free; the same `Timers` where there are as many as may be. */
export function addTimer(all: Timers, name?: string): Timers {
  if (all.timers.length >= MAX_TIMERS) return all;
  const id = Math.max(0, ...all.timers.map((timer) => timer.id)) + 1;
  const timer = { id, name: name ?? freeName(all.timers, all.timers.length + 1), countdown: newCountdown() };
  return { ...all, timers: [...all.timers, timer], chosen: id };
}

/** Without this timer; its neighbour is chosen where it was the chosen one. The last timer stays. */
export function removeTimer(all: Timers, id: number): Timers {
  const index = all.timers.findIndex((timer) => timer.id === id);
  if (index === -1 || all.timers.length === 1) return all;
  const timers = all.timers.toSpliced(index, 1);
  const neighbour = timers[Math.min(index, timers.length - 1)];
  return { ...all, timers, chosen: all.chosen === id && neighbour ? neighbour.id : all.chosen };
}

export function chooseTimer(all: Timers, id: number): Timers {
  return all.timers.some((timer) => timer.id === id) ? { ...all, chosen: id } : all;
}

const withTimer = (all: Timers, id: number, changed: (timer: NamedTimer) => NamedTimer): Timers => ({
  ...all,
  timers: all.timers.map((timer) => (timer.id === id ? changed(timer) : timer)),
});

/** `name` as `readName` gives it. */
export function renameTimer(all: Timers, id: number, name: string): Timers {
  return withTimer(all, id, (timer) => ({ ...timer, name }));
}

export function withCountdown(all: Timers, id: number, countdown: Countdown): Timers {
  return withTimer(all, id, (timer) => ({ ...timer, countdown }));
}
