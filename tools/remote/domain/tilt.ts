/** How a phone is held, in degrees, as its sensor says it; nulls where it has no such sensor. */
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

/** What a phone without sensors says of how it is held. */
export const LEVEL: Angles = { alpha: 0, beta: 0, gamma: 0 };

/** Movement along the phone's three axes. */
export interface Acceleration {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Between two motion events (specification 1, section 9). */
export const MOTION_TICK_MS = 30;

const oneDecimal = (degrees: number): number => Math.round(degrees * 10) / 10 + 0;
const within = (degrees: number): number => Math.min(360, Math.max(-360, degrees));

/** Angles with one decimal, or undefined where the device has no sensor for all three. */
export function anglesOf({ alpha, beta, gamma }: RawOrientation): Angles | undefined {
  if (alpha === null || beta === null || gamma === null) return undefined;
  if (![alpha, beta, gamma].every(Number.isFinite)) return undefined;
  return { alpha: oneDecimal(within(alpha)), beta: oneDecimal(within(beta)), gamma: oneDecimal(within(gamma)) };
}

/** m/s² times ten in whole numbers, or undefined where the phone does not give it. */
export function accelerationOf(raw: {
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
}): Acceleration | undefined {
  const { x, y, z } = raw;
  if (x === null || y === null || z === null || ![x, y, z].every(Number.isFinite)) return undefined;
  return { x: Math.round(x * 10) + 0, y: Math.round(y * 10) + 0, z: Math.round(z * 10) + 0 };
}

/** The three buttons of the mouse panel as they are held. `liftAfterScroll` is what Lift goes back to when Scroll is let go. */
export interface MouseButtons {
  readonly lmb: boolean;
  readonly lift: boolean;
  readonly scroll: boolean;
  readonly liftAfterScroll: boolean;
}

export const NO_BUTTONS_DOWN: MouseButtons = { lmb: false, lift: false, scroll: false, liftAfterScroll: false };

export type MouseAct = 'lmb down' | 'lmb up' | 'lift toggled' | 'scroll down' | 'scroll up' | 'all up';

/** What is held after an act: LMB while it is touched, Lift toggles, Scroll clears Lift while it is held (specification 1, section 4). */
export function afterAct(held: MouseButtons, act: MouseAct): MouseButtons {
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
      return { ...afterAct(held, 'scroll up'), lmb: false };
  }
}

/** Angles of the phone in degrees, as its sensors give them. */
export interface Orientation {
  readonly alpha: number;
  readonly beta: number;
}

/** The buttons of the mouse panel. */
export interface Grip {
  /** The left button is held. */
  readonly lmb: boolean;
  /** The phone is lifted off the table, as it were: it turns and nothing moves. */
  readonly lift: boolean;
  /** Tilting turns the wheel. */
  readonly scroll: boolean;
}

/** What one event of the phone asks for: pixels, or steps of the wheel (fractions of both), right and down positive. */
export interface Travel {
  readonly dx: number;
  readonly dy: number;
  readonly wheel: number;
}

/** One angle on its way: summed over the turns, smoothed, and held still within the dead zone. */
interface Axis {
  readonly sum: number;
  readonly smooth: number;
  readonly speed: number;
  /** The angle that the pointer stands for. */
  readonly shown: number;
}

/** Where the phone was, so that its next event can be read as a turn. */
export interface Tilt {
  readonly last: Orientation;
  readonly alpha: Axis;
  readonly beta: Axis;
  /** Scroll was held. */
  readonly scroll: boolean;
}

export const PIXELS_PER_DEGREE = 28;
const DEGREES_PER_WHEEL_STEP = 4;
/** A larger step is a jump of the sensor, and no hand. */
export const JUMP_DEGREES = 40;
/** A resting hand trembles within it. */
export const DEAD_ZONE_DEGREES = 0.15;

// One-euro filter: calm when the hand is slow, quick when it is fast.
const MIN_CUTOFF_HZ = 1.2;
const CUTOFF_PER_SPEED = 0.1;
const SPEED_CUTOFF_HZ = 1;

const STILL: Travel = { dx: 0, dy: 0, wheel: 0 };
const RESTING: Axis = { sum: 0, smooth: 0, speed: 0, shown: 0 };

/** The shorter way from one angle to another, in degrees: -180 up to, but not, 180. */
export function turnBetween(from: number, to: number): number {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

/** The first event sets the zero. */
export function beginTilt(at: Orientation, scroll = false): Tilt {
  return {
    last: at,
    alpha: RESTING,
    beta: RESTING,
    scroll,
  };
}

const weight = (cutoffHz: number, seconds: number): number => {
  const step = 2 * Math.PI * cutoffHz * seconds;
  return step / (step + 1);
};

const smoothed = (axis: Axis, turn: number, seconds: number): Axis => {
  const sum = axis.sum + turn;
  const speed = axis.speed + weight(SPEED_CUTOFF_HZ, seconds) * (turn / seconds - axis.speed);
  const cutoff = MIN_CUTOFF_HZ + CUTOFF_PER_SPEED * Math.abs(speed);
  const smooth = axis.smooth + weight(cutoff, seconds) * (sum - axis.smooth);
  const beyond = Math.max(0, Math.abs(smooth - axis.shown) - DEAD_ZONE_DEGREES);
  return { sum, smooth, speed, shown: axis.shown + Math.sign(smooth - axis.shown) * beyond };
};

/**
 * Reads the phone's next event, `seconds` after the one before, as travel of the pointer or the wheel.
 * Turning right moves right, raising the far edge moves up.
 */
export function followTilt(
  tilt: Tilt,
  at: Orientation,
  grip: Grip,
  seconds: number,
): { readonly tilt: Tilt; readonly travel: Travel } {
  const turns = { alpha: turnBetween(tilt.last.alpha, at.alpha), beta: turnBetween(tilt.last.beta, at.beta) };
  const isJump = Math.abs(turns.alpha) > JUMP_DEGREES || Math.abs(turns.beta) > JUMP_DEGREES;
  // What was on its way when the phone was lifted, or Scroll pressed or let go, is forgotten.
  if ((grip.lift && !grip.scroll) || grip.scroll !== tilt.scroll)
    return { tilt: beginTilt(at, grip.scroll), travel: STILL };
  if (isJump) return { tilt: { ...tilt, last: at }, travel: STILL };
  const next: Tilt = {
    ...tilt,
    last: at,
    alpha: smoothed(tilt.alpha, turns.alpha, seconds),
    beta: smoothed(tilt.beta, turns.beta, seconds),
  };
  const right = tilt.alpha.shown - next.alpha.shown;
  const down = tilt.beta.shown - next.beta.shown;
  const travel = grip.scroll
    ? { ...STILL, wheel: down / DEGREES_PER_WHEEL_STEP }
    : { ...STILL, dx: right * PIXELS_PER_DEGREE, dy: down * PIXELS_PER_DEGREE };
  return { tilt: next, travel };
}
