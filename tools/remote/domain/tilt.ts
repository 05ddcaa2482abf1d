/** Orientation of a phone in degrees, as its sensor reports it; null if there is no such sensor. */
export interface RawOrientation {
  readonly alpha: number | null;
  readonly beta: number | null;
  readonly gamma: number | null;
}

export interface Angles {
  readonly alpha: number;
  readonly beta: number;
  readonly gamma: number;
}

/** Sent by a phone without sensors. */
export const LEVEL: Angles = { alpha: 0, beta: 0, gamma: 0 };

/** Acceleration along the phone's three axes. */
export interface Acceleration {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Time between two motion events: docs/specification/remote.md section 6. */
export const MOTION_TICK_MS = 30;

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

/** State of the three buttons of the mouse panel. `liftAfterScroll` is what Lift becomes when Scroll is released. */
export interface MouseButtons {
  readonly lmb: boolean;
  readonly lift: boolean;
  readonly scroll: boolean;
  readonly liftAfterScroll: boolean;
}

export const NO_BUTTONS_DOWN: MouseButtons = { lmb: false, lift: false, scroll: false, liftAfterScroll: false };

export type MouseAct = 'lmb down' | 'lmb up' | 'lift toggled' | 'scroll down' | 'scroll up' | 'all up';

/**
 * Returns the buttons after an act: LMB is down while touched, Lift toggles, Scroll suspends Lift while it is held
 * (docs/specification/remote.md section 4.1).
 */
export function applyAct(held: MouseButtons, act: MouseAct): MouseButtons {
  switch (act) {
    case 'lmb down':
      return { ...held, lmb: true };
    case 'lmb up':
      return { ...held, lmb: false };
    case 'lift toggled':
      return held.scroll ? { ...held, liftAfterScroll: !held.liftAfterScroll } : { ...held, lift: !held.lift };
    case 'scroll down':
      return held.scroll ? held : { ...held, scroll: true, lift: false, liftAfterScroll: held.lift };
    case 'scroll up':
      return held.scroll ? { ...held, scroll: false, lift: held.liftAfterScroll, liftAfterScroll: false } : held;
    case 'all up':
      return { ...applyAct(held, 'scroll up'), lmb: false };
  }
}

/** Angles of the phone in degrees, as its sensors report them. */
export interface Orientation {
  readonly alpha: number;
  readonly beta: number;
}

/** The buttons of the mouse panel. */
export interface TiltGrip {
  /** The left button is held. */
  readonly lmb: boolean;
  /** The phone counts as lifted off a table: turning it moves nothing. */
  readonly lift: boolean;
  /** Tilting turns the wheel. */
  readonly scroll: boolean;
}

/** Movement caused by one event: pixels, or steps of the wheel; fractions are allowed, right and down are positive. */
export interface TiltMotion {
  readonly dx: number;
  readonly dy: number;
  readonly wheel: number;
}

/** One filtered angle: accumulated, smoothed, and kept still within the dead zone. */
interface Axis {
  readonly sum: number;
  readonly smooth: number;
  readonly speed: number;
  /** The angle that the pointer position corresponds to. */
  readonly shown: number;
}

/** State of the phone at its last event, to compute the next movement. */
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
export const JUMP_DEGREES = 40;
/** A resting hand trembles within this range. */
export const DEAD_ZONE_DEGREES = 0.15;

// One-euro filter: strong smoothing for slow movements, little delay for fast ones.
const MIN_CUTOFF_HZ = 1.2;
const CUTOFF_PER_SPEED = 0.1;
const SPEED_CUTOFF_HZ = 1;

const STILL: TiltMotion = { dx: 0, dy: 0, wheel: 0 };
const RESTING: Axis = { sum: 0, smooth: 0, speed: 0, shown: 0 };

/** Returns the shorter way between two angles in degrees, from -180 to below 180. */
export function turnBetween(from: number, to: number): number {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

/** Starts with this orientation as zero. */
export function beginTilt(at: Orientation, scroll = false): Tilt {
  return {
    last: at,
    alpha: RESTING,
    beta: RESTING,
    scroll,
  };
}

const getFilterWeight = (cutoffHz: number, seconds: number): number => {
  const step = 2 * Math.PI * cutoffHz * seconds;
  return step / (step + 1);
};

const filterAxis = (axis: Axis, turn: number, seconds: number): Axis => {
  const sum = axis.sum + turn;
  const speed = axis.speed + getFilterWeight(SPEED_CUTOFF_HZ, seconds) * (turn / seconds - axis.speed);
  const cutoff = MIN_CUTOFF_HZ + CUTOFF_PER_SPEED * Math.abs(speed);
  const smooth = axis.smooth + getFilterWeight(cutoff, seconds) * (sum - axis.smooth);
  const excess = Math.max(0, Math.abs(smooth - axis.shown) - DEAD_ZONE_DEGREES);
  return { sum, smooth, speed, shown: axis.shown + Math.sign(smooth - axis.shown) * excess };
};

/**
 * Converts the phone's next event to a movement of the pointer or the wheel. Turning right moves right; raising the far
 * edge moves up.
 * @param seconds time since the previous event
 */
export function followTilt(
  tilt: Tilt,
  at: Orientation,
  grip: TiltGrip,
  seconds: number,
): { readonly tilt: Tilt; readonly travel: TiltMotion } {
  const turns = { alpha: turnBetween(tilt.last.alpha, at.alpha), beta: turnBetween(tilt.last.beta, at.beta) };
  const isJump = Math.abs(turns.alpha) > JUMP_DEGREES || Math.abs(turns.beta) > JUMP_DEGREES;
  // Pending movement is discarded when the phone is lifted, and when Scroll is pressed or released.
  if ((grip.lift && !grip.scroll) || grip.scroll !== tilt.scroll)
    return { tilt: beginTilt(at, grip.scroll), travel: STILL };
  if (isJump) return { tilt: { ...tilt, last: at }, travel: STILL };
  const next: Tilt = {
    ...tilt,
    last: at,
    alpha: filterAxis(tilt.alpha, turns.alpha, seconds),
    beta: filterAxis(tilt.beta, turns.beta, seconds),
  };
  const right = tilt.alpha.shown - next.alpha.shown;
  const down = tilt.beta.shown - next.beta.shown;
  const travel = grip.scroll
    ? { ...STILL, wheel: down / DEGREES_PER_WHEEL_STEP }
    : { ...STILL, dx: right * PIXELS_PER_DEGREE, dy: down * PIXELS_PER_DEGREE };
  return { tilt: next, travel };
}
