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
export const anglesOf = ({ alpha, beta, gamma }: RawOrientation): Angles | undefined => {
  if (alpha === null || beta === null || gamma === null) return undefined;
  if (![alpha, beta, gamma].every(Number.isFinite)) return undefined;
  return { alpha: oneDecimal(within(alpha)), beta: oneDecimal(within(beta)), gamma: oneDecimal(within(gamma)) };
};

/** m/s² times ten in whole numbers, or undefined where the phone does not give it. */
export const accelerationOf = (raw: {
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
}): Acceleration | undefined => {
  const { x, y, z } = raw;
  if (x === null || y === null || z === null || ![x, y, z].every(Number.isFinite)) return undefined;
  return { x: Math.round(x * 10) + 0, y: Math.round(y * 10) + 0, z: Math.round(z * 10) + 0 };
};

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
export const afterAct = (held: MouseButtons, act: MouseAct): MouseButtons => {
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
};
