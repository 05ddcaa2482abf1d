/**
 * The loop timer. It has no clock: whoever asks hands in the time, in milliseconds of one clock that goes on while the
 * page sleeps and is never put back (`clock.ts`). A running countdown is where it stood at one moment; everything else
 * is worked out from that, so that neither the number of looks nor their times can make it drift.
 */

/** Whole milliseconds. */
export type Milliseconds = number;

export const SECOND: Milliseconds = 1000;
/** Source: the specification. */
export const DEFAULT_LOOP: Milliseconds = 600 * SECOND;
export const MIN_COUNTDOWN_MS: Milliseconds = 1 * SECOND;
export const MAX_COUNTDOWN_MS: Milliseconds = 360_000 * SECOND;

export interface Countdown {
  /** SHORTEST to LONGEST. */
  readonly loop: Milliseconds;
  /** What was left at `since`, or is left while paused: 1 to LONGEST. It may be more than the loop, once. */
  readonly left: Milliseconds;
  /** The moment `left` was true; absent while paused. */
  readonly since?: Milliseconds;
  /** Rounds that had ended by `since`. */
  readonly rounds: number;
  /** How many of the rounds' ends somebody has looked at. */
  readonly heard: number;
  /** It stops at the end of a round, with a whole one ready; else the next begins by itself. */
  readonly once?: true;
}

export interface CountdownView {
  readonly running: boolean;
  /** More than 0 always: at 0 the next round has begun. */
  readonly left: Milliseconds;
  /** The share of the round that is left: 1 at its beginning, towards 0 at its end. */
  readonly progress: number;
  /** Rounds that have ended since the reset; the one shown is the next. */
  readonly rounds: number;
}

export function newCountdown(loop: Milliseconds = DEFAULT_LOOP): Countdown {
  return {
    loop: within(loop),
    left: within(loop),
    rounds: 0,
    heard: 0,
  };
}

const within = (length: Milliseconds): Milliseconds =>
  Math.min(MAX_COUNTDOWN_MS, Math.max(MIN_COUNTDOWN_MS, Math.round(length)));

/** Where a running countdown stands. A clock put back behind `since` shows what was left then, never more. */
const progressed = (countdown: Countdown, since: Milliseconds, now: Milliseconds): [Milliseconds, number] => {
  const over = Math.max(0, Math.round(now) - since) - countdown.left;
  if (over < 0) return [-over, 0];
  return [countdown.loop - (over % countdown.loop), Math.floor(over / countdown.loop) + 1];
};

export function at(countdown: Countdown, now: Milliseconds): CountdownView {
  const { since, loop, once } = countdown;
  const [left, ends] = since === undefined ? [countdown.left, 0] : progressed(countdown, since, now);
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
  /** Ends since the last look: above 1 where nobody looked for longer than a round. */
  readonly ends: number;
}

/** What is shown, and the ends that nobody has been told of; the countdown that comes back counts them as told. */
export function look(countdown: Countdown, now: Milliseconds): Look {
  const shown = at(countdown, now);
  const ends = Math.max(0, shown.rounds - countdown.heard);
  return { countdown: ends === 0 ? countdown : { ...settled(countdown, shown), heard: shown.rounds }, shown, ends };
}

/** The same countdown; one that has stopped at its end by itself is paused. */
const settled = (countdown: Countdown, { running, left, rounds }: CountdownView): Countdown =>
  countdown.since === undefined || running ? countdown : paused(countdown, left, rounds);

const paused = ({ loop, heard, once }: Countdown, left: Milliseconds, rounds: number): Countdown => ({
  loop,
  left,
  rounds,
  heard,
  ...(once && { once }),
});

/** When the present round ends: what a sound or a wake-up is set to. Nothing while paused. */
export function nextEnd(countdown: Countdown, now: Milliseconds): Milliseconds | undefined {
  return countdown.since === undefined || !at(countdown, now).running
    ? undefined
    : Math.max(Math.round(now), countdown.since) + at(countdown, now).left;
}

/** When the latest round ended, unless that was before the last start, pause or change. */
export function lastEnd(countdown: Countdown, now: Milliseconds): Milliseconds | undefined {
  const shown = at(countdown, now);
  if (countdown.since === undefined || shown.rounds === countdown.rounds) return undefined;
  const next = nextEnd(countdown, now);
  return next === undefined ? countdown.since + countdown.left : next - countdown.loop;
}

export function start(countdown: Countdown, now: Milliseconds): Countdown {
  return at(countdown, now).running ? countdown : { ...settled(countdown, at(countdown, now)), since: Math.round(now) };
}

export function pause(countdown: Countdown, now: Milliseconds): Countdown {
  if (countdown.since === undefined) return countdown;
  const { left, rounds } = at(countdown, now);
  return paused(countdown, left, rounds);
}

/** A whole round again, the first one; what runs goes on running. Ends that nobody looked at are forgotten. */
export function reset(countdown: Countdown, now: Milliseconds): Countdown {
  return {
    ...newCountdown(countdown.loop),
    ...(countdown.once && { once: true }),
    ...(at(countdown, now).running && { since: Math.round(now) }),
  };
}

/** A whole first round of another length, running or paused as before. */
export function changeRound(countdown: Countdown, loop: Milliseconds, now: Milliseconds): Countdown {
  return reset({ ...countdown, loop }, now);
}

/** What is to happen at the end of a round, from the present one on. */
export function changeOnce(countdown: Countdown, once: boolean, now: Milliseconds): Countdown {
  const { once: _, ...rest } = at(countdown, now).running
    ? withLeft(countdown, at(countdown, now).left, now)
    : pause(countdown, now);
  return once ? { ...rest, once } : rest;
}

const withLeft = (countdown: Countdown, left: Milliseconds, now: Milliseconds): Countdown => {
  const changed = { ...pause(countdown, now), left: within(left) };
  return at(countdown, now).running ? start(changed, now) : changed;
};

/** What has passed of the round stays passed. If that is the whole new length or more, a new round begins in silence. */
export function changeLoop(countdown: Countdown, loop: Milliseconds, now: Milliseconds): Countdown {
  const passed = Math.max(0, countdown.loop - at(countdown, now).left);
  const length = within(loop);
  return { ...withLeft(countdown, length, now), loop: length, left: passed < length ? length - passed : length };
}

/** The present round gets this long; those after it are the loop's length. */
export function changeLeft(countdown: Countdown, left: Milliseconds, now: Milliseconds): Countdown {
  return withLeft(countdown, left, now);
}

/** The same countdown by a clock that was put forward (or, below 0, back) by so much. */
export function moved(countdown: Countdown, by: Milliseconds): Countdown {
  return countdown.since === undefined ? countdown : { ...countdown, since: countdown.since + Math.round(by) };
}
