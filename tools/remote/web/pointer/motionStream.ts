import { motion } from '../../contract.ts';
import {
  applyMouseAction,
  LEVEL_ANGLES,
  MOTION_INTERVAL_MS,
  NO_BUTTONS_DOWN,
  type Acceleration,
  type Angles,
  type MouseAction,
  type MouseButtons,
  getAngleDifference,
} from '../../domain/tilt.ts';
import { resend, withToken } from '../typing/deviceEvents.ts';
import { createNewestSender } from './pointerStream.ts';

/** A reading that is almost due is sent immediately instead of waiting for the next tick. */
const MIN_READING_GAP_MS = 0.85 * MOTION_INTERVAL_MS;
/** Sensor readings (often every 33 ms) replace the ticks; if they stop for this long, the ticks continue. */
const READING_TIMEOUT_MS = 1.5 * MOTION_INTERVAL_MS;

/** A resting hand trembles by up to this. */
const MAX_REST_DEGREES = 0.3;

const getLargestDifference = (from: Angles, to: Angles): number =>
  Math.max(Math.abs(getAngleDifference(from.alpha, to.alpha)), Math.abs(getAngleDifference(from.beta, to.beta)));

export interface Aim {
  readonly target: string | undefined;
  readonly sensitivity: number;
}

/** Sends the motion of the phone that is used as a mouse. */
export interface MotionStream {
  /** Sets the device and the speed. Releases everything if the device changes. */
  readonly setAim: (aim: Aim) => void;
  /** Performs an action and returns the new state of the buttons. */
  readonly perform: (action: MouseAction) => MouseButtons;
  readonly setAngles: (angles: Angles) => void;
  readonly setAcceleration: (acceleration: Acceleration) => void;
  readonly recenter: () => void;
  /** Starts sending an event every 30 ms. Without it, events are only sent while something is held. */
  readonly start: () => void;
  /** Releases everything and discards the orientation. */
  readonly stop: () => MouseButtons;
}

/**
 * Creates a stream that sends orientation and buttons every 30 ms while it is started or a button is held, and each
 * press immediately (docs/specification/remote.md section 6).
 */
export function createMotionStream(): MotionStream {
  let { target, sensitivity }: Aim = { target: undefined, sensitivity: 1 };
  let buttons = NO_BUTTONS_DOWN;
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
  const sendNewest = createNewestSender(() => {
    const { lmb, lift, scroll } = buttons;
    // The change from level to the first reading is not a movement, so the first reading is sent as lifted.
    const isFirstReading = angles !== undefined && wasLevel;
    wasLevel = angles === undefined;
    return resend(motion, {
      orientation: angles ?? LEVEL_ANGLES,
      reset: isFirstReading ? { lmb, lift: true, scroll: false } : { lmb, lift, scroll },
      ...withToken(),
      ...(acceleration && { acceleration }),
      ...(target !== undefined && { target }),
      ...(sensitivity !== 1 && { sensitivity }),
      ...(recentered > 0 && { recentered }),
    });
  });
  const isHeld = (): boolean => buttons.lmb || buttons.scroll;
  function tick(): void {
    tickTimer = undefined;
    // Without sensors, events are only needed while a button is held.
    if (angles !== undefined || isHeld()) sendNewest();
    if (isStarted || isHeld()) scheduleTick(MOTION_INTERVAL_MS);
  }
  function scheduleTick(delayMs: number): void {
    clearTimeout(tickTimer);
    tickTimer = setTimeout(tick, delayMs);
  }
  function perform(action: MouseAction): MouseButtons {
    buttons = applyMouseAction(buttons, action);
    sendNewest();
    // The device releases the buttons of a silent controller, even if the phone is not tilted.
    if (isHeld() && tickTimer === undefined) scheduleTick(MOTION_INTERVAL_MS);
    return buttons;
  }

  return {
    perform,
    setAim: (next) => {
      if (next.target !== target && isHeld()) perform('all released');
      ({ target, sensitivity } = next);
    },
    setAngles: (next) => {
      angles = next;
      if (!isStarted) return;
      const now = performance.now();
      const difference = lastReading === undefined ? 0 : getLargestDifference(lastReading, next);
      // The first movement after a rest is sent without delay.
      const isFirstMovement = wasResting && difference > MAX_REST_DEGREES;
      if (now - lastReadingAt < MIN_READING_GAP_MS && !isFirstMovement) return;
      wasResting = difference <= MAX_REST_DEGREES;
      lastReading = next;
      lastReadingAt = now;
      sendNewest();
      scheduleTick(READING_TIMEOUT_MS);
    },
    setAcceleration: (next) => {
      acceleration = next;
    },
    recenter: () => {
      recentered += 1;
      sendNewest();
    },
    start: () => {
      isStarted = true;
      scheduleTick(MOTION_INTERVAL_MS);
    },
    stop: () => {
      isStarted = false;
      if (isHeld()) perform('all released');
      clearTimeout(tickTimer);
      tickTimer = undefined;
      angles = undefined;
      lastReading = undefined;
      acceleration = undefined;
      return buttons;
    },
  };
}
