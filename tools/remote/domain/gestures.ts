import type { ButtonName } from './pointerSums.ts';

/**
 * Input from the touchpad: `x` and `y` in CSS pixels, `at` in milliseconds. A `tick` only reports that time has passed.
 */
export type Touch =
  | {
      readonly kind: 'down' | 'move' | 'up' | 'cancel';
      readonly id: number;
      readonly x: number;
      readonly y: number;
      readonly at: number;
    }
  | { readonly kind: 'tick'; readonly at: number };

/** The meaning of touches. Distances are in pixels of the pad, for moves in pixels of the pointer. */
export type PadAct =
  | { readonly kind: 'move' | 'scroll'; readonly dx: number; readonly dy: number }
  | { readonly kind: 'click'; readonly button: ButtonName }
  | { readonly kind: 'drag'; readonly down: boolean }
  | { readonly kind: 'swipe'; readonly to: 'back' | 'forward' };

interface Finger {
  readonly id: number;
  readonly startX: number;
  readonly startY: number;
  readonly x: number;
  readonly y: number;
  readonly at: number;
}

/** A gesture lasts from the touch of the first finger until the last one is lifted. */
export interface Gesture {
  readonly fingers: readonly Finger[];
  /** Largest number of fingers that touched at the same time. */
  readonly most: number;
  readonly startedAt: number;
  /** `touched`: nothing has moved yet. `spent`: input is ignored until all fingers are lifted. */
  readonly mode: 'touched' | 'moving' | 'scrolling' | 'swiping' | 'dragging' | 'spent';
  /** Pixels per millisecond, smoothed. */
  readonly speed: number;
  readonly swiped: number;
}

export const NO_GESTURE: Gesture = { fingers: [], most: 0, startedAt: 0, mode: 'touched', speed: 0, swiped: 0 };

/** A resting finger never keeps completely still. */
export const SLOP_PX = 8;
export const TAP_MS = 250;
/** Several fingers do not land at the same moment. */
const TAP_OF_SEVERAL_MS = 350;
export const HOLD_MS = 450;
const SWIPE_PX = 60;

export interface GestureResult {
  readonly gesture: Gesture;
  readonly acts: readonly PadAct[];
}

const PIXELS = 1.5;
const SLOW = 0.3;
const FAST = 2.2;
/**
 * Returns how far the pointer moves per pixel of the finger: slow for aiming, fast for crossing the screen.
 * @param speed pixels per millisecond
 */
export function getGain(speed: number): number {
  if (speed <= SLOW) return PIXELS * (0.7 + speed);
  return PIXELS * (1 + 2.2 * Math.min(1, (speed - SLOW) / (FAST - SLOW)));
}

const getMode = (fingers: number, scrolls: boolean): Gesture['mode'] => {
  if (fingers === 1) return scrolls ? 'scrolling' : 'moving';
  return fingers === 2 ? 'scrolling' : 'swiping';
};

const buttonByFingerCount: Readonly<Record<number, ButtonName>> = { 1: 'left', 2: 'right', 3: 'middle' };

type TouchPoint = Extract<Touch, { readonly id: number }>;

const handleDown = (gesture: Gesture, { id, x, y, at }: TouchPoint): GestureResult => {
  const finger: Finger = { id, startX: x, startY: y, x, y, at };
  if (gesture.fingers.length === 0)
    return { gesture: { ...NO_GESTURE, fingers: [finger], most: 1, startedAt: at }, acts: [] };
  const fingers = [...gesture.fingers.filter((each) => each.id !== id), finger];
  const max = Math.max(gesture.most, fingers.length);
  // A second finger beside a moving one starts scrolling.
  const mode = gesture.mode === 'moving' ? 'scrolling' : gesture.mode;
  return { gesture: { ...gesture, fingers, most: max, mode }, acts: [] };
};

const swipe = (gesture: Gesture, dx: number): GestureResult => {
  const swiped = gesture.swiped + dx / gesture.most;
  if (Math.abs(swiped) < SWIPE_PX) return { gesture: { ...gesture, swiped }, acts: [] };
  return { gesture: { ...gesture, mode: 'spent' }, acts: [{ kind: 'swipe', to: swiped > 0 ? 'back' : 'forward' }] };
};

const handleMove = (gesture: Gesture, { id, x, y, at }: TouchPoint, scrolls: boolean): GestureResult => {
  const previous = gesture.fingers.find((each) => each.id === id);
  if (!previous) return { gesture, acts: [] };
  const finger = { ...previous, x, y, at };
  const [dx, dy] = [x - previous.x, y - previous.y];
  const isStill = Math.hypot(x - previous.startX, y - previous.startY) <= SLOP_PX;
  const mode = gesture.mode === 'touched' && !isStill ? getMode(gesture.most, scrolls) : gesture.mode;
  // Sensors of a busy phone report several readings with the same time.
  const speed = 0.5 * gesture.speed + (0.5 * Math.hypot(dx, dy)) / Math.max(4, at - previous.at);
  const fingers = gesture.fingers.map((each) => (each.id === id ? finger : each));
  const next: Gesture = { ...gesture, fingers, mode, speed };
  switch (mode) {
    case 'moving':
    case 'dragging':
      return { gesture: next, acts: [{ kind: 'move', dx: dx * getGain(speed), dy: dy * getGain(speed) }] };
    case 'scrolling':
      return { gesture: next, acts: [{ kind: 'scroll', dx: dx / gesture.most, dy: dy / gesture.most }] };
    case 'swiping':
      return swipe(next, dx);
    case 'touched':
    case 'spent':
      return { gesture: next, acts: [] };
  }
};

const NO_ACTS: readonly PadAct[] = [];
const END_DRAG: readonly PadAct[] = [{ kind: 'drag', down: false }];

/** Returns what lifting the last finger means. */
const getEndActs = ({ mode, most: max, startedAt }: Gesture, at: number): readonly PadAct[] => {
  if (mode === 'dragging') return END_DRAG;
  const button = buttonByFingerCount[max];
  const isTap = mode === 'touched' && at - startedAt <= (max === 1 ? TAP_MS : TAP_OF_SEVERAL_MS);
  return isTap && button !== undefined ? [{ kind: 'click', button }] : NO_ACTS;
};

const handleUp = (gesture: Gesture, { kind, id, at }: TouchPoint): GestureResult => {
  const { mode } = gesture;
  const fingers = gesture.fingers.filter((each) => each.id !== id);
  if (fingers.length === gesture.fingers.length) return { gesture, acts: NO_ACTS };
  const isCancelled = kind === 'cancel';
  if (fingers.length > 0) {
    const continues = mode === 'dragging' || (mode === 'touched' && !isCancelled);
    return { gesture: { ...gesture, fingers, mode: continues ? mode : 'spent' }, acts: NO_ACTS };
  }
  const isDiscarded = isCancelled && mode !== 'dragging';
  return { gesture: NO_GESTURE, acts: isDiscarded ? NO_ACTS : getEndActs(gesture, at) };
};

const handleTick = (gesture: Gesture, at: number): GestureResult => {
  const { mode, most: max, fingers, startedAt } = gesture;
  const isHeld = mode === 'touched' && max === 1 && fingers.length === 1 && at - startedAt >= HOLD_MS;
  if (!isHeld) return { gesture, acts: [] };
  return { gesture: { ...gesture, mode: 'dragging' }, acts: [{ kind: 'drag', down: true }] };
};

/**
 * Interprets a touch. One finger moves, two scroll, three swipe back or forward. A tap is the left button, with two
 * fingers the right one, with three the middle one. A finger that rests first drags.
 * @param scrolls whether one finger scrolls too
 */
export function readTouch(gesture: Gesture, touch: Touch, scrolls = false): GestureResult {
  switch (touch.kind) {
    case 'tick':
      return handleTick(gesture, touch.at);
    case 'down':
      return handleDown(gesture, touch);
    case 'move':
      return handleMove(gesture, touch, scrolls);
    case 'up':
    case 'cancel':
      return handleUp(gesture, touch);
  }
}
