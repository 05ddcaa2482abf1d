import { motion } from '../../contract.ts';
import {
  afterAct,
  LEVEL,
  MOTION_TICK_MS,
  NO_BUTTONS_DOWN,
  type Acceleration,
  type Angles,
  type MouseAct,
  type MouseButtons,
  turnBetween,
} from '../../domain/tilt.ts';
import { tellAgain, withToken } from '../typing/deviceEvents.ts';
import { createNewest } from './pointerStream.ts';

/** A reading that comes this long after the last one that was sent goes out at once, instead of waiting for the next event. */
const ALMOST_DUE_MS = 0.85 * MOTION_TICK_MS;
/** While readings come (sensors have their own beat, 33 ms often) they are the events; the clock's own come when they stay away. */
const STAYS_AWAY_MS = 1.5 * MOTION_TICK_MS;

/** A hand that rests trembles within it. */
const RESTS_WITHIN_DEGREES = 0.3;

const turnOf = (from: Angles, to: Angles): number =>
  Math.max(Math.abs(turnBetween(from.alpha, to.alpha)), Math.abs(turnBetween(from.beta, to.beta)));

export interface Aim {
  readonly target: string | undefined;
  readonly sensitivity: number;
}

/** The sending end of the phone as a mouse. */
export interface MotionStream {
  /** The device that it moves, and how fast; what is held is let go of another one. */
  readonly aim: (aim: Aim) => void;
  /** Gives what is held after it. */
  readonly act: (what: MouseAct) => MouseButtons;
  readonly turned: (angles: Angles) => void;
  readonly moved: (acceleration: Acceleration) => void;
  readonly recenter: () => void;
  /** From now on an event goes out every 30 ms; without it only while something is held. */
  readonly start: () => void;
  /** Lets go of everything, and forgets how the phone was held. */
  readonly stop: () => MouseButtons;
}

/** Says how the phone is held and what is pressed every 30 ms while it is started or a button is held, and each press at once (specification 1, section 7). */
export function openMotion(): MotionStream {
  let { target, sensitivity }: Aim = { target: undefined, sensitivity: 1 };
  let held = NO_BUTTONS_DOWN;
  let angles: Angles | undefined;
  let acceleration: Acceleration | undefined;
  let wasLevel = false;
  let recentered = 0;
  /** The last reading that went out by itself. */
  let read: Angles | undefined;
  let readAt = -Infinity;
  let wasResting = true;
  let isStarted = false;
  let ticking: ReturnType<typeof setTimeout> | undefined;

  // What an event says is read when it is sent, not when it was asked for.
  const newest = createNewest(() => {
    const { lmb, lift, scroll } = held;
    // From level to how it is held is no turn of the hand: the first reading comes lifted.
    const isFirst = angles !== undefined && wasLevel;
    wasLevel = angles === undefined;
    return tellAgain(motion, {
      orientation: angles ?? LEVEL,
      reset: isFirst ? { lmb, lift: true, scroll: false } : { lmb, lift, scroll },
      ...withToken(),
      ...(acceleration && { acceleration }),
      ...(target !== undefined && { target }),
      ...(sensitivity !== 1 && { sensitivity }),
      ...(recentered > 0 && { recentered }),
    });
  });
  const isHeld = (): boolean => held.lmb || held.scroll;
  const tick = (): void => {
    ticking = undefined;
    // Without sensors there is only something to say while a button is held.
    if (angles !== undefined || isHeld()) newest();
    if (isStarted || isHeld()) tickIn(MOTION_TICK_MS);
  };
  const tickIn = (wait: number): void => {
    clearTimeout(ticking);
    ticking = setTimeout(tick, wait);
  };
  const act = (what: MouseAct): MouseButtons => {
    held = afterAct(held, what);
    newest();
    // The device lets go of what it does not hear of any more, whether the phone is tilted or not.
    if (isHeld() && ticking === undefined) tickIn(MOTION_TICK_MS);
    return held;
  };

  return {
    act,
    aim: (next) => {
      if (next.target !== target && isHeld()) act('all up');
      ({ target, sensitivity } = next);
    },
    turned: (next) => {
      angles = next;
      if (!isStarted) return;
      const now = performance.now();
      const turn = read === undefined ? 0 : turnOf(read, next);
      // The first movement after a rest waits for nothing.
      const isBeginning = wasResting && turn > RESTS_WITHIN_DEGREES;
      if (now - readAt < ALMOST_DUE_MS && !isBeginning) return;
      wasResting = turn <= RESTS_WITHIN_DEGREES;
      read = next;
      readAt = now;
      newest();
      tickIn(STAYS_AWAY_MS);
    },
    moved: (next) => {
      acceleration = next;
    },
    recenter: () => {
      recentered += 1;
      newest();
    },
    start: () => {
      isStarted = true;
      tickIn(MOTION_TICK_MS);
    },
    stop: () => {
      isStarted = false;
      if (isHeld()) act('all up');
      clearTimeout(ticking);
      ticking = undefined;
      angles = undefined;
      read = undefined;
      acceleration = undefined;
      return held;
    },
  };
}
