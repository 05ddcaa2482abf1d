import type { ButtonName } from './pointerSums.ts';

/** What happens on the touchpad; `x` and `y` in CSS pixels, `at` in milliseconds. `tick`: time goes by. */
export type Touch =
  | {
      readonly kind: 'down' | 'move' | 'up' | 'cancel';
      readonly id: number;
      readonly x: number;
      readonly y: number;
      readonly at: number;
    }
  | { readonly kind: 'tick'; readonly at: number };

/** What it means; pixels of the pad, for moves those of the pointer. */
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

/** From the first finger's touch to the last one's end. */
export interface Gesture {
  readonly fingers: readonly Finger[];
  /** The most fingers at once. */
  readonly most: number;
  readonly startedAt: number;
  /** `touched`: nothing has moved yet. `spent`: whatever follows until all fingers are off means nothing. */
  readonly mode: 'touched' | 'moving' | 'scrolling' | 'swiping' | 'dragging' | 'spent';
  /** Pixels a millisecond, smoothed. */
  readonly speed: number;
  readonly swiped: number;
}

export const NO_GESTURE: Gesture = { fingers: [], most: 0, startedAt: 0, mode: 'touched', speed: 0, swiped: 0 };

/** A finger that rests is never quite still. */
export const SLOP_PX = 8;
export const TAP_MS = 250;
/** Several fingers do not land at once. */
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
/** Pixels of the pointer for one of the finger: a slow finger aims, a fast one crosses the screen. `speed` is pixels a millisecond. */
export function gainOf(speed: number): number {
  if (speed <= SLOW) return PIXELS * (0.7 + speed);
  return PIXELS * (1 + 2.2 * Math.min(1, (speed - SLOW) / (FAST - SLOW)));
}

const modeOf = (fingers: number, scrolls: boolean): Gesture['mode'] => {
  if (fingers === 1) return scrolls ? 'scrolling' : 'moving';
  return fingers === 2 ? 'scrolling' : 'swiping';
};

const buttonOf: Readonly<Record<number, ButtonName>> = { 1: 'left', 2: 'right', 3: 'middle' };

type TouchPoint = Extract<Touch, { readonly id: number }>;

const land = (gesture: Gesture, { id, x, y, at }: TouchPoint): GestureResult => {
  const finger: Finger = { id, startX: x, startY: y, x, y, at };
  if (gesture.fingers.length === 0)
    return { gesture: { ...NO_GESTURE, fingers: [finger], most: 1, startedAt: at }, acts: [] };
  const fingers = [...gesture.fingers.filter((each) => each.id !== id), finger];
  const most = Math.max(gesture.most, fingers.length);
  // A second finger beside one that moves begins to scroll.
  const mode = gesture.mode === 'moving' ? 'scrolling' : gesture.mode;
  return { gesture: { ...gesture, fingers, most, mode }, acts: [] };
};

const swipe = (gesture: Gesture, dx: number): GestureResult => {
  const swiped = gesture.swiped + dx / gesture.most;
  if (Math.abs(swiped) < SWIPE_PX) return { gesture: { ...gesture, swiped }, acts: [] };
  return { gesture: { ...gesture, mode: 'spent' }, acts: [{ kind: 'swipe', to: swiped > 0 ? 'back' : 'forward' }] };
};

const slide = (gesture: Gesture, { id, x, y, at }: TouchPoint, scrolls: boolean): GestureResult => {
  const before = gesture.fingers.find((each) => each.id === id);
  if (!before) return { gesture, acts: [] };
  const finger = { ...before, x, y, at };
  const [dx, dy] = [x - before.x, y - before.y];
  const isStill = Math.hypot(x - before.startX, y - before.startY) <= SLOP_PX;
  const mode = gesture.mode === 'touched' && !isStill ? modeOf(gesture.most, scrolls) : gesture.mode;
  // Sensors of a busy phone bring several readings with the same time.
  const speed = 0.5 * gesture.speed + (0.5 * Math.hypot(dx, dy)) / Math.max(4, at - before.at);
  const fingers = gesture.fingers.map((each) => (each.id === id ? finger : each));
  const next: Gesture = { ...gesture, fingers, mode, speed };
  switch (mode) {
    case 'moving':
    case 'dragging':
      return { gesture: next, acts: [{ kind: 'move', dx: dx * gainOf(speed), dy: dy * gainOf(speed) }] };
    case 'scrolling':
      return { gesture: next, acts: [{ kind: 'scroll', dx: dx / gesture.most, dy: dy / gesture.most }] };
    case 'swiping':
      return swipe(next, dx);
    case 'touched':
    case 'spent':
      return { gesture: next, acts: [] };
  }
};

const nothing: readonly PadAct[] = [];
const dragEnds: readonly PadAct[] = [{ kind: 'drag', down: false }];

/** What the last finger's end means. */
const endOf = ({ mode, most, startedAt }: Gesture, at: number): readonly PadAct[] => {
  if (mode === 'dragging') return dragEnds;
  const button = buttonOf[most];
  const isTap = mode === 'touched' && at - startedAt <= (most === 1 ? TAP_MS : TAP_OF_SEVERAL_MS);
  return isTap && button !== undefined ? [{ kind: 'click', button }] : nothing;
};

const lift = (gesture: Gesture, { kind, id, at }: TouchPoint): GestureResult => {
  const { mode } = gesture;
  const fingers = gesture.fingers.filter((each) => each.id !== id);
  if (fingers.length === gesture.fingers.length) return { gesture, acts: nothing };
  const isTaken = kind === 'cancel';
  if (fingers.length > 0) {
    const goesOn = mode === 'dragging' || (mode === 'touched' && !isTaken);
    return { gesture: { ...gesture, fingers, mode: goesOn ? mode : 'spent' }, acts: nothing };
  }
  const isOver = isTaken && mode !== 'dragging';
  return { gesture: NO_GESTURE, acts: isOver ? nothing : endOf(gesture, at) };
};

const age = (gesture: Gesture, at: number): GestureResult => {
  const { mode, most, fingers, startedAt } = gesture;
  const isHeld = mode === 'touched' && most === 1 && fingers.length === 1 && at - startedAt >= HOLD_MS;
  if (!isHeld) return { gesture, acts: [] };
  return { gesture: { ...gesture, mode: 'dragging' }, acts: [{ kind: 'drag', down: true }] };
};

/**
 * Reads touches: one finger moves, two scroll, three to the side go back or forward; a tap is the left button, of two fingers the
 * right one, of three the middle one; a finger that rests before it moves drags. `scrolls`: one finger scrolls too.
 */
export function readTouch(gesture: Gesture, touch: Touch, scrolls = false): GestureResult {
  switch (touch.kind) {
    case 'tick':
      return age(gesture, touch.at);
    case 'down':
      return land(gesture, touch);
    case 'move':
      return slide(gesture, touch, scrolls);
    case 'up':
    case 'cancel':
      return lift(gesture, touch);
  }
}
