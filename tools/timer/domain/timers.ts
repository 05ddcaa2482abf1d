import { createCountdown, type Countdown } from './countdown.ts';
import { NEW_STOPWATCH, type Stopwatch } from './stopwatch.ts';

export interface NamedTimer {
  /** 1 or more, unique among the timers. */
  readonly id: number;
  /** 1 to `MAX_NAME_LENGTH` characters on one line. */
  readonly name: string;
  readonly countdown: Countdown;
}

/** Everything that the page stores. */
export interface Timers {
  /** 1 to `MAX_TIMERS`. */
  readonly timers: readonly NamedTimer[];
  /** Id of the timer that is shown. */
  readonly chosen: number;
  readonly stopwatch: Stopwatch;
}

export const MAX_TIMERS = 20;
export const MAX_NAME_LENGTH = 40;

/** Creates the timers of a new visitor. */
export function createTimers(): Timers {
  return { timers: [{ id: 1, name: 'Timer', countdown: createCountdown() }], chosen: 1, stopwatch: NEW_STOPWATCH };
}

/** Validates the name of a timer. Returns the name, or the message to show beside the field. */
export function parseName(input: string): { readonly name: string } | { readonly problem: string } {
  const name = input.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim();
  if (name === '') return { problem: 'Enter a name for the timer' };
  if (Array.from(name).length > MAX_NAME_LENGTH)
    return { problem: `This name is too long. Enter at most ${MAX_NAME_LENGTH} characters` };
  return { name };
}

export function getSelectedTimer({ timers, chosen }: Timers): NamedTimer | undefined {
  return timers.find(({ id }) => id === chosen);
}

/** Returns whether any countdown is running. */
export function hasRunningTimer({ timers }: Timers): boolean {
  return timers.some(({ countdown }) => countdown.since !== undefined);
}

function findFreeName(timers: readonly NamedTimer[], id: number): string {
  const name = `Timer ${id}`;
  return timers.some((timer) => timer.name === name) ? findFreeName(timers, id + 1) : name;
}

/** Adds a timer and selects it. Without a name it gets a free one. Does nothing if there are `MAX_TIMERS`. */
export function addTimer(state: Timers, name?: string): Timers {
  if (state.timers.length >= MAX_TIMERS) return state;
  const id = Math.max(0, ...state.timers.map((timer) => timer.id)) + 1;
  const timer = { id, name: name ?? findFreeName(state.timers, state.timers.length + 1), countdown: createCountdown() };
  return { ...state, timers: [...state.timers, timer], chosen: id };
}

/** Removes a timer. If it was selected, its neighbour is selected. The last timer can't be removed. */
export function removeTimer(state: Timers, id: number): Timers {
  const index = state.timers.findIndex((timer) => timer.id === id);
  if (index === -1 || state.timers.length === 1) return state;
  const timers = state.timers.toSpliced(index, 1);
  const neighbour = timers[Math.min(index, timers.length - 1)];
  return { ...state, timers, chosen: state.chosen === id && neighbour ? neighbour.id : state.chosen };
}

/** Selects a timer. Does nothing if it doesn't exist. */
export function selectTimer(state: Timers, id: number): Timers {
  return state.timers.some((timer) => timer.id === id) ? { ...state, chosen: id } : state;
}

const withTimer = (state: Timers, id: number, update: (timer: NamedTimer) => NamedTimer): Timers => ({
  ...state,
  timers: state.timers.map((timer) => (timer.id === id ? update(timer) : timer)),
});

/** Renames a timer. `name` must be a result of `parseName`. */
export function renameTimer(state: Timers, id: number, name: string): Timers {
  return withTimer(state, id, (timer) => ({ ...timer, name }));
}

/** Replaces the countdown of a timer. */
export function withCountdown(state: Timers, id: number, countdown: Countdown): Timers {
  return withTimer(state, id, (timer) => ({ ...timer, countdown }));
}
