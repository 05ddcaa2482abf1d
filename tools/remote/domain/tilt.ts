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
export const turnBetween = (from: number, to: number): number => ((((to - from + 180) % 360) + 360) % 360) - 180;

/** The first event sets the zero. */
export const beginTilt = (at: Orientation, scroll = false): Tilt => ({
  last: at,
  alpha: RESTING,
  beta: RESTING,
  scroll,
});

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
export const followTilt = (
  tilt: Tilt,
  at: Orientation,
  grip: Grip,
  seconds: number,
): { readonly tilt: Tilt; readonly travel: Travel } => {
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
};
