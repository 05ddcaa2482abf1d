import { SECOND_MS } from '#platform/contract/duration.ts';

/**
 * The loop timer. It has no clock: callers pass the time in milliseconds of the monotonic clock in `clock.ts`.
 * The state is the time left at one moment. Everything else is computed from it, so that a countdown can't drift.
 */

/** Whole milliseconds. */
export type Milliseconds = number;

/** Specified in docs/specification/timer.md section 6. */
export const DEFAULT_LOOP_MS: Milliseconds = 600 * SECOND_MS;
export const MIN_COUNTDOWN_MS: Milliseconds = 1 * SECOND_MS;
export const MAX_COUNTDOWN_MS: Milliseconds = 360_000 * SECOND_MS;

export interface Countdown {
  /** MIN_COUNTDOWN_MS to MAX_COUNTDOWN_MS. */
  readonly loop: Milliseconds;
  /** Time left at `since`, or while paused: 1 to MAX_COUNTDOWN_MS. It can exceed `loop` for one round. */
  readonly left: Milliseconds;
  /** The moment to which `left` refers; absent while paused. */
  readonly since?: Milliseconds;
  /** Rounds that had ended by `since`. */
  readonly rounds: number;
  /** Number of ends of rounds that were reported to the user. */
  readonly heard: number;
  /** Whether it stops at the end of a round, with a full round ready; otherwise the next round starts automatically. */
  readonly once?: true;
}

export interface CountdownView {
  readonly isRunning: boolean;
  /** Always more than 0: at 0 the next round has started. */
  readonly remaining: Milliseconds;
  /** Remaining share of the round: 1 at its start, towards 0 at its end. */
  readonly remainingShare: number;
  /** Rounds that have ended since the reset. */
  readonly rounds: number;
}

/** Creates a paused countdown with a full round. */
export function createCountdown(loop: Milliseconds = DEFAULT_LOOP_MS): Countdown {
  return { loop: clampLength(loop), left: clampLength(loop), rounds: 0, heard: 0 };
}

const clampLength = (length: Milliseconds): Milliseconds =>
  Math.min(MAX_COUNTDOWN_MS, Math.max(MIN_COUNTDOWN_MS, Math.round(length)));

/** Returns the remaining time and ended rounds of a running countdown. A clock that is set back doesn't add time. */
function getProgress(countdown: Countdown, since: Milliseconds, now: Milliseconds): [Milliseconds, number] {
  const overtime = Math.max(0, Math.round(now) - since) - countdown.left;
  if (overtime < 0) return [-overtime, 0];
  return [countdown.loop - (overtime % countdown.loop), Math.floor(overtime / countdown.loop) + 1];
}

/** Returns what a countdown shows at a time. */
export function getCountdownView(countdown: Countdown, now: Milliseconds): CountdownView {
  const { since, loop, once } = countdown;
  const [remaining, endCount] = since === undefined ? [countdown.left, 0] : getProgress(countdown, since, now);
  if (once && endCount > 0)
    return { isRunning: false, remaining: loop, remainingShare: 1, rounds: countdown.rounds + 1 };
  return {
    isRunning: since !== undefined,
    remaining,
    remainingShare: Math.min(1, remaining / loop),
    rounds: countdown.rounds + endCount,
  };
}

export interface CountdownUpdate {
  readonly countdown: Countdown;
  readonly view: CountdownView;
  /** Rounds that have ended since the last update. */
  readonly endCount: number;
}

/** Returns a countdown at this time, with the new ends of rounds. The returned countdown counts them as reported. */
export function updateCountdown(countdown: Countdown, now: Milliseconds): CountdownUpdate {
  const view = getCountdownView(countdown, now);
  const endCount = Math.max(0, view.rounds - countdown.heard);
  return {
    countdown: endCount === 0 ? countdown : { ...pauseIfStopped(countdown, view), heard: view.rounds },
    view,
    endCount,
  };
}

/** Returns a countdown that has stopped at its end as paused; others unchanged. */
const pauseIfStopped = (countdown: Countdown, { isRunning, remaining, rounds }: CountdownView): Countdown =>
  countdown.since === undefined || isRunning ? countdown : toPaused(countdown, remaining, rounds);

const toPaused = ({ loop, heard, once }: Countdown, remaining: Milliseconds, rounds: number): Countdown => ({
  loop,
  left: remaining,
  rounds,
  heard,
  ...(once && { once }),
});

/** Returns when the current round ends, to schedule a sound or a wake-up; undefined while paused. */
export function getNextEnd(countdown: Countdown, now: Milliseconds): Milliseconds | undefined {
  const { isRunning, remaining } = getCountdownView(countdown, now);
  return countdown.since === undefined || !isRunning
    ? undefined
    : Math.max(Math.round(now), countdown.since) + remaining;
}

/** Returns when the latest round ended, unless that was before the last start, pause or change. */
export function getLastEnd(countdown: Countdown, now: Milliseconds): Milliseconds | undefined {
  const view = getCountdownView(countdown, now);
  if (countdown.since === undefined || view.rounds === countdown.rounds) return undefined;
  const next = getNextEnd(countdown, now);
  return next === undefined ? countdown.since + countdown.left : next - countdown.loop;
}

/** Returns the countdown, running. Does nothing if it is running. */
export function start(countdown: Countdown, now: Milliseconds): Countdown {
  const view = getCountdownView(countdown, now);
  return view.isRunning ? countdown : { ...pauseIfStopped(countdown, view), since: Math.round(now) };
}

/** Returns the countdown, paused. Does nothing if it is paused. */
export function pause(countdown: Countdown, now: Milliseconds): Countdown {
  if (countdown.since === undefined) return countdown;
  const { remaining, rounds } = getCountdownView(countdown, now);
  return toPaused(countdown, remaining, rounds);
}

/** Starts again with a full first round. A running countdown keeps running. Ends that were not reported are dropped. */
export function reset(countdown: Countdown, now: Milliseconds): Countdown {
  return {
    ...createCountdown(countdown.loop),
    ...(countdown.once && { once: true }),
    ...(getCountdownView(countdown, now).isRunning && { since: Math.round(now) }),
  };
}

/** Starts again with a full first round of another length. A running countdown keeps running. */
export function changeRound(countdown: Countdown, loop: Milliseconds, now: Milliseconds): Countdown {
  return reset({ ...countdown, loop }, now);
}

/** Sets whether the countdown stops at the end of a round, from the current one on. */
export function changeStopsAtEnd(countdown: Countdown, stopsAtEnd: boolean, now: Milliseconds): Countdown {
  const { isRunning, remaining } = getCountdownView(countdown, now);
  const { once: _, ...rest } = isRunning ? withRemaining(countdown, remaining, now) : pause(countdown, now);
  return stopsAtEnd ? { ...rest, once: true } : rest;
}

function withRemaining(countdown: Countdown, remaining: Milliseconds, now: Milliseconds): Countdown {
  const changed = { ...pause(countdown, now), left: clampLength(remaining) };
  return getCountdownView(countdown, now).isRunning ? start(changed, now) : changed;
}

/**
 * Changes the length of the loop. The time that has passed still counts; if it exceeds the new length, a new round
 * starts without an alarm.
 */
export function changeLoop(countdown: Countdown, loop: Milliseconds, now: Milliseconds): Countdown {
  const passed = Math.max(0, countdown.loop - getCountdownView(countdown, now).remaining);
  const length = clampLength(loop);
  return { ...withRemaining(countdown, length, now), loop: length, left: passed < length ? length - passed : length };
}

/** Returns the countdown with another remaining time in the current round only. */
export function changeRemaining(countdown: Countdown, remaining: Milliseconds, now: Milliseconds): Countdown {
  return withRemaining(countdown, remaining, now);
}

/** Returns the same countdown for a clock that is ahead by `by` milliseconds (behind, if negative). */
export function shiftCountdown(countdown: Countdown, by: Milliseconds): Countdown {
  return countdown.since === undefined ? countdown : { ...countdown, since: countdown.since + Math.round(by) };
}
