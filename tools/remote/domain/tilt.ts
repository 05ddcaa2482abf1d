/** Orientation of a phone in degrees, as its sensor reports it; null if there is no such sensor. */
export interface RawOrientation {
  readonly alpha: number | null;
  readonly beta: number | null;
  readonly gamma: number | null;
}

/** Orientation in degrees with one decimal. */
export interface Angles {
  readonly alpha: number;
  readonly beta: number;
  readonly gamma: number;
}

/** Sent by a phone without sensors. */
export const LEVEL_ANGLES: Angles = { alpha: 0, beta: 0, gamma: 0 };

/** Acceleration along the phone's three axes. */
export interface Acceleration {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Time between two motion events: docs/specification/remote.md section 6. */
export const MOTION_INTERVAL_MS = 30;

const roundToTenth = (degrees: number): number => Math.round(degrees * 10) / 10 + 0;
const clampDegrees = (degrees: number): number => Math.min(360, Math.max(-360, degrees));

/** Rounds angles to one decimal; undefined if the device does not report all three. */
export function toAngles({ alpha, beta, gamma }: RawOrientation): Angles | undefined {
  if (alpha === null || beta === null || gamma === null) return undefined;
  if (![alpha, beta, gamma].every(Number.isFinite)) return undefined;
  return {
    alpha: roundToTenth(clampDegrees(alpha)),
    beta: roundToTenth(clampDegrees(beta)),
    gamma: roundToTenth(clampDegrees(gamma)),
  };
}

/** Converts to m/s² times ten, as whole numbers; undefined if the phone does not report it. */
export function toAcceleration(raw: {
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
}): Acceleration | undefined {
  const { x, y, z } = raw;
  if (x === null || y === null || z === null || ![x, y, z].every(Number.isFinite)) return undefined;
  return { x: Math.round(x * 10) + 0, y: Math.round(y * 10) + 0, z: Math.round(z * 10) + 0 };
}

/** State of the three buttons of the mouse panel. */
export interface MouseButtons {
  /** The left button is held. */
  readonly lmb: boolean;
  /** The phone counts as lifted off a table: turning it moves nothing. */
  readonly lift: boolean;
  /** Tilting turns the wheel. */
  readonly scroll: boolean;
  /** What `lift` becomes when Scroll is released. */
  readonly liftAfterScroll: boolean;
}

export const NO_BUTTONS_DOWN: MouseButtons = { lmb: false, lift: false, scroll: false, liftAfterScroll: false };

export type MouseAction =
  | 'lmb pressed'
  | 'lmb released'
  | 'lift toggled'
  | 'scroll pressed'
  | 'scroll released'
  | 'all released';

/**
 * Returns the buttons after an action: LMB is down while touched, Lift toggles, Scroll suspends Lift while it is held
 * (docs/specification/remote.md section 4.1).
 */
export function applyMouseAction(buttons: MouseButtons, action: MouseAction): MouseButtons {
  switch (action) {
    case 'lmb pressed':
      return { ...buttons, lmb: true };
    case 'lmb released':
      return { ...buttons, lmb: false };
    case 'lift toggled':
      return buttons.scroll
        ? { ...buttons, liftAfterScroll: !buttons.liftAfterScroll }
        : { ...buttons, lift: !buttons.lift };
    case 'scroll pressed':
      return buttons.scroll ? buttons : { ...buttons, scroll: true, lift: false, liftAfterScroll: buttons.lift };
    case 'scroll released':
      return buttons.scroll
        ? { ...buttons, scroll: false, lift: buttons.liftAfterScroll, liftAfterScroll: false }
        : buttons;
    case 'all released':
      return { ...applyMouseAction(buttons, 'scroll released'), lmb: false };
  }
}

export type Orientation = Pick<Angles, 'alpha' | 'beta'>;

export type TiltButtons = Omit<MouseButtons, 'liftAfterScroll'>;

/** Movement caused by one event: pixels, or steps of the wheel; fractions are allowed, right and down are positive. */
export interface TiltMotion {
  readonly dx: number;
  readonly dy: number;
  readonly wheel: number;
}

/** One filtered angle: accumulated, smoothed, and still within the dead zone. */
interface Axis {
  readonly sum: number;
  readonly smooth: number;
  readonly speed: number;
  /** The angle that the pointer position corresponds to. */
  readonly pointerAngle: number;
}

/** State of the phone at its last event, from which the next movement is computed. */
export interface Tilt {
  readonly last: Orientation;
  readonly alpha: Axis;
  readonly beta: Axis;
  /** Whether Scroll was held. */
  readonly scroll: boolean;
}

export const PIXELS_PER_DEGREE = 28;
const DEGREES_PER_WHEEL_STEP = 4;
/** A larger step is an error of the sensor. */
export const MAX_STEP_DEGREES = 40;
/** A resting hand trembles within this range. */
export const DEAD_ZONE_DEGREES = 0.15;

// One-euro filter: strong smoothing for slow movements, little delay for fast ones.
const MIN_CUTOFF_HZ = 1.2;
const CUTOFF_PER_SPEED = 0.1;
const SPEED_CUTOFF_HZ = 1;

const NO_MOTION: TiltMotion = { dx: 0, dy: 0, wheel: 0 };
const RESTING_AXIS: Axis = { sum: 0, smooth: 0, speed: 0, pointerAngle: 0 };

/** Returns the shorter way from one angle to the other in degrees, from -180 to below 180. */
export function getAngleDifference(from: number, to: number): number {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

/** Starts with this orientation as zero. */
export function startTilt(orientation: Orientation, scroll: boolean): Tilt {
  return { last: orientation, alpha: RESTING_AXIS, beta: RESTING_AXIS, scroll };
}

function getFilterWeight(cutoffHz: number, seconds: number): number {
  const step = 2 * Math.PI * cutoffHz * seconds;
  return step / (step + 1);
}

function filterAxis(axis: Axis, change: number, seconds: number): Axis {
  const sum = axis.sum + change;
  const speed = axis.speed + getFilterWeight(SPEED_CUTOFF_HZ, seconds) * (change / seconds - axis.speed);
  const cutoff = MIN_CUTOFF_HZ + CUTOFF_PER_SPEED * Math.abs(speed);
  const smooth = axis.smooth + getFilterWeight(cutoff, seconds) * (sum - axis.smooth);
  const excess = Math.max(0, Math.abs(smooth - axis.pointerAngle) - DEAD_ZONE_DEGREES);
  return { sum, smooth, speed, pointerAngle: axis.pointerAngle + Math.sign(smooth - axis.pointerAngle) * excess };
}

/**
 * Converts the phone's next event to a movement of the pointer or the wheel. Turning right moves right; raising the far
 * edge moves up.
 * @param seconds time since the previous event
 */
export function updateTilt(
  tilt: Tilt,
  orientation: Orientation,
  buttons: TiltButtons,
  seconds: number,
): { readonly tilt: Tilt; readonly motion: TiltMotion } {
  const changes = {
    alpha: getAngleDifference(tilt.last.alpha, orientation.alpha),
    beta: getAngleDifference(tilt.last.beta, orientation.beta),
  };
  const isJump = Math.abs(changes.alpha) > MAX_STEP_DEGREES || Math.abs(changes.beta) > MAX_STEP_DEGREES;
  // Pending movement is discarded when the phone is lifted, and when Scroll is pressed or released.
  if ((buttons.lift && !buttons.scroll) || buttons.scroll !== tilt.scroll)
    return { tilt: startTilt(orientation, buttons.scroll), motion: NO_MOTION };
  if (isJump) return { tilt: { ...tilt, last: orientation }, motion: NO_MOTION };
  const next: Tilt = {
    ...tilt,
    last: orientation,
    alpha: filterAxis(tilt.alpha, changes.alpha, seconds),
    beta: filterAxis(tilt.beta, changes.beta, seconds),
  };
  const right = tilt.alpha.pointerAngle - next.alpha.pointerAngle;
  const down = tilt.beta.pointerAngle - next.beta.pointerAngle;
  const motion = buttons.scroll
    ? { ...NO_MOTION, wheel: down / DEGREES_PER_WHEEL_STEP }
    : { ...NO_MOTION, dx: right * PIXELS_PER_DEGREE, dy: down * PIXELS_PER_DEGREE };
  return { tilt: next, motion };
}
