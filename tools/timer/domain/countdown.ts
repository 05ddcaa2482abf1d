import { SECOND_MS } from '#platform/contract/duration.ts';

/**
 * The loop timer. It has no clock: callers pass the time in milliseconds of the monotonic clock in `clock.ts`.
 * The state is the time left at one moment. Everything else is computed from it, so that a countdown can't drift.
 */

/** Whole milliseconds. */
export type Milliseconds = number;

/** Specified in docs/specification/timer.md section 6. */
export const DEFAULT_LOOP: Milliseconds = 600 * SECOND_MS;
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
  /** Stops at the end of a round, with a full round ready. Otherwise the next round starts automatically. */
  readonly once?: true;
}

export interface CountdownView {
  readonly running: boolean;
  /** Always more than 0: at 0 the next round has started. */
  readonly left: Milliseconds;
  /** Share of the round that is left: 1 at its start, towards 0 at its end. */
  readonly progress: number;
  /** Rounds that have ended since the reset. */
  readonly rounds: number;
}

/** Creates a paused countdown with a full round. */
export function newCountdown(loop: Milliseconds = DEFAULT_LOOP): Countdown {
  return {
    loop: clampLength(loop),
    left: clampLength(loop),
    rounds: 0,
    heard: 0,
  };
}

const clampLength = (length: Milliseconds): Milliseconds =>
  Math.min(MAX_COUNTDOWN_MS, Math.max(MIN_COUNTDOWN_MS, Math.round(length)));

/** Returns the time left and the ended rounds of a running countdown. A clock that is set back doesn't add time. */
const getProgress = (countdown: Countdown, since: Milliseconds, now: Milliseconds): [Milliseconds, number] => {
  const over = Math.max(0, Math.round(now) - since) - countdown.left;
  if (over < 0) return [-over, 0];
  return [countdown.loop - (over % countdown.loop), Math.floor(over / countdown.loop) + 1];
};

/** Returns what a countdown shows at a time. */
export function getCountdownView(countdown: Countdown, now: Milliseconds): CountdownView {
  const { since, loop, once } = countdown;
  const [left, ends] = since === undefined ? [countdown.left, 0] : getProgress(countdown, since, now);
  if (once && ends > 0) return { running: false, left: loop, progress: 1, rounds: countdown.rounds + 1 };
  return {
    running: since !== undefined,
    left,
    progress: Math.min(1, left / loop),
    rounds: countdown.rounds + ends,
  };
}

export interface Look {
  readonly countdown: Countdown;
  readonly shown: CountdownView;
  /** Ends since the last look. More than 1 if the last look is more than a round ago. */
  readonly ends: number;
}

/** Returns what to show, and the ends that were not reported yet. The returned countdown counts them as reported. */
export function look(countdown: Countdown, now: Milliseconds): Look {
  const shown = getCountdownView(countdown, now);
  const ends = Math.max(0, shown.rounds - countdown.heard);
  return {
    countdown: ends === 0 ? countdown : { ...pauseIfStopped(countdown, shown), heard: shown.rounds },
    shown,
    ends,
  };
}

/** Pauses a countdown that has stopped at its end. */
const pauseIfStopped = (countdown: Countdown, { running, left, rounds }: CountdownView): Countdown =>
  countdown.since === undefined || running ? countdown : toPaused(countdown, left, rounds);

const toPaused = ({ loop, heard: received, once }: Countdown, left: Milliseconds, rounds: number): Countdown => ({
  loop,
  left,
  rounds,
  heard: received,
  ...(once && { once }),
});

/** Returns when the current round ends, to schedule a sound or a wake-up; undefined while paused. */
export function nextEnd(countdown: Countdown, now: Milliseconds): Milliseconds | undefined {
  return countdown.since === undefined || !getCountdownView(countdown, now).running
    ? undefined
    : Math.max(Math.round(now), countdown.since) + getCountdownView(countdown, now).left;
}

/** Returns when the latest round ended, unless that was before the last start, pause or change. */
export function lastEnd(countdown: Countdown, now: Milliseconds): Milliseconds | undefined {
  const shown = getCountdownView(countdown, now);
  if (countdown.since === undefined || shown.rounds === countdown.rounds) return undefined;
  const next = nextEnd(countdown, now);
  return next === undefined ? countdown.since + countdown.left : next - countdown.loop;
}

/** Starts a countdown. Does nothing if it is running. */
export function start(countdown: Countdown, now: Milliseconds): Countdown {
  return getCountdownView(countdown, now).running
    ? countdown
    : { ...pauseIfStopped(countdown, getCountdownView(countdown, now)), since: Math.round(now) };
}

/** Pauses a countdown. Does nothing if it is paused. */
export function pause(countdown: Countdown, now: Milliseconds): Countdown {
  if (countdown.since === undefined) return countdown;
  const { left, rounds } = getCountdownView(countdown, now);
  return toPaused(countdown, left, rounds);
}

/** Starts again with a full first round. A running countdown keeps running. Ends that were not reported are dropped. */
export function reset(countdown: Countdown, now: Milliseconds): Countdown {
  return {
    ...newCountdown(countdown.loop),
    ...(countdown.once && { once: true }),
    ...(getCountdownView(countdown, now).running && { since: Math.round(now) }),
  };
}

/** Starts again with a full first round of another length. A running countdown keeps running. */
export function changeRound(countdown: Countdown, loop: Milliseconds, now: Milliseconds): Countdown {
  return reset({ ...countdown, loop }, now);
}

/** Sets what happens at the end of a round, from the current one on. */
export function changeOnce(countdown: Countdown, once: boolean, now: Milliseconds): Countdown {
  const { once: _, ...rest } = getCountdownView(countdown, now).running
    ? withLeft(countdown, getCountdownView(countdown, now).left, now)
    : pause(countdown, now);
  return once ? { ...rest, once } : rest;
}

const withLeft = (countdown: Countdown, left: Milliseconds, now: Milliseconds): Countdown => {
  const changed = { ...pause(countdown, now), left: clampLength(left) };
  return getCountdownView(countdown, now).running ? start(changed, now) : changed;
};

/**
 * Changes the length of the loop. The time that has passed still counts; if it exceeds the new length, a new round
 * starts without an alarm.
 */
export function changeLoop(countdown: Countdown, loop: Milliseconds, now: Milliseconds): Countdown {
  const passed = Math.max(0, countdown.loop - getCountdownView(countdown, now).left);
  const length = clampLength(loop);
  return { ...withLeft(countdown, length, now), loop: length, left: passed < length ? length - passed : length };
}

/** Changes the time left of the current round only. */
export function changeLeft(countdown: Countdown, left: Milliseconds, now: Milliseconds): Countdown {
  return withLeft(countdown, left, now);
}

/** Returns the same countdown for a clock that is ahead by `by` milliseconds (behind, if negative). */
export function shiftCountdown(countdown: Countdown, by: Milliseconds): Countdown {
  return countdown.since === undefined ? countdown : { ...countdown, since: countdown.since + Math.round(by) };
}
