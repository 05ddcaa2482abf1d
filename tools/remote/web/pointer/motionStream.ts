import { motion } from '../../contract.ts';
import {
  applyAct,
  LEVEL,
  MOTION_TICK_MS,
  NO_BUTTONS_DOWN,
  type Acceleration,
  type Angles,
  type MouseAct,
  type MouseButtons,
  turnBetween,
} from '../../domain/tilt.ts';
import { resend, withToken } from '../typing/deviceEvents.ts';
import { createNewest } from './pointerStream.ts';

/** A reading that is almost due is sent immediately instead of waiting for the next tick. */
const MIN_READING_GAP_MS = 0.85 * MOTION_TICK_MS;
/** Readings of the sensors replace the ticks while they arrive (often every 33 ms); ticks continue if they stop. */
const READING_TIMEOUT_MS = 1.5 * MOTION_TICK_MS;

/** A resting hand trembles within this range. */
const REST_DEGREES = 0.3;

const getTurn = (from: Angles, to: Angles): number =>
  Math.max(Math.abs(turnBetween(from.alpha, to.alpha)), Math.abs(turnBetween(from.beta, to.beta)));

export interface Aim {
  readonly target: string | undefined;
  readonly sensitivity: number;
}

/** Sends the motion of the phone that is used as a mouse. */
export interface MotionStream {
  /** Sets the device and the speed. Releases everything if the device changes. */
  readonly aim: (aim: Aim) => void;
  /** Performs an act and returns the new state of the buttons. */
  readonly act: (what: MouseAct) => MouseButtons;
  readonly turned: (angles: Angles) => void;
  readonly moved: (acceleration: Acceleration) => void;
  readonly recenter: () => void;
  /** Starts sending an event every 30 ms. Without it, events are only sent while something is held. */
  readonly start: () => void;
  /** Releases everything, and forgets the orientation. */
  readonly stop: () => MouseButtons;
}

/**
 * Opens a stream that sends orientation and buttons every 30 ms while it is started or a button is held, and each press
 * immediately (docs/specification/remote.md section 6).
 */
export function openMotion(): MotionStream {
  let { target, sensitivity }: Aim = { target: undefined, sensitivity: 1 };
  let held = NO_BUTTONS_DOWN;
  let angles: Angles | undefined;
  let acceleration: Acceleration | undefined;
  let wasLevel = false;
  let recentered = 0;
  /** The last reading that was sent immediately. */
  let lastReading: Angles | undefined;
  let lastReadingAt = -Infinity;
  let wasResting = true;
  let isStarted = false;
  let tickTimer: ReturnType<typeof setTimeout> | undefined;

  // The state is read when an event is sent, not when it was requested.
  const sendNewest = createNewest(() => {
    const { lmb, lift, scroll } = held;
    // The change from level to the first reading is not a movement, so the first reading is sent as lifted.
    const isFirst = angles !== undefined && wasLevel;
    wasLevel = angles === undefined;
    return resend(motion, {
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
    tickTimer = undefined;
    // Without sensors there is only something to send while a button is held.
    if (angles !== undefined || isHeld()) sendNewest();
    if (isStarted || isHeld()) scheduleTick(MOTION_TICK_MS);
  };
  const scheduleTick = (delayMs: number): void => {
    clearTimeout(tickTimer);
    tickTimer = setTimeout(tick, delayMs);
  };
  const act = (what: MouseAct): MouseButtons => {
    held = applyAct(held, what);
    sendNewest();
    // The device releases a controller that it does not hear from, whether the phone is tilted or not.
    if (isHeld() && tickTimer === undefined) scheduleTick(MOTION_TICK_MS);
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
      const turn = lastReading === undefined ? 0 : getTurn(lastReading, next);
      // The first movement after a rest is sent without delay.
      const isBeginning = wasResting && turn > REST_DEGREES;
      if (now - lastReadingAt < MIN_READING_GAP_MS && !isBeginning) return;
      wasResting = turn <= REST_DEGREES;
      lastReading = next;
      lastReadingAt = now;
      sendNewest();
      scheduleTick(READING_TIMEOUT_MS);
    },
    moved: (next) => {
      acceleration = next;
    },
    recenter: () => {
      recentered += 1;
      sendNewest();
    },
    start: () => {
      isStarted = true;
      scheduleTick(MOTION_TICK_MS);
    },
    stop: () => {
      isStarted = false;
      if (isHeld()) act('all up');
      clearTimeout(tickTimer);
      tickTimer = undefined;
      angles = undefined;
      lastReading = undefined;
      acceleration = undefined;
      return held;
    },
  };
}
