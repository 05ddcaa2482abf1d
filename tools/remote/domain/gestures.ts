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

/** What touches do. Distances are in pixels of the pad, for moves in pixels of the pointer. */
export type PadAction =
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
  readonly maxFingerCount: number;
  readonly startedAt: number;
  /** `touched`: nothing has moved yet. `spent`: input is ignored until all fingers are lifted. */
  readonly mode: 'touched' | 'moving' | 'scrolling' | 'swiping' | 'dragging' | 'spent';
  /** Pixels per millisecond, smoothed. */
  readonly speed: number;
  readonly swipedPx: number;
}

export const NO_GESTURE: Gesture = {
  fingers: [],
  maxFingerCount: 0,
  startedAt: 0,
  mode: 'touched',
  speed: 0,
  swipedPx: 0,
};

/** A resting finger is never completely still. */
export const SLOP_PX = 8;
export const MAX_TAP_MS = 250;
/** Several fingers do not land at the same moment. */
const MAX_MULTI_FINGER_TAP_MS = 350;
export const HOLD_DELAY_MS = 450;
const MIN_SWIPE_PX = 60;

export interface GestureResult {
  readonly gesture: Gesture;
  readonly actions: readonly PadAction[];
}

const BASE_GAIN = 1.5;
const SLOW_PX_PER_MS = 0.3;
const FAST_PX_PER_MS = 2.2;

/**
 * Returns how far the pointer moves per pixel of the finger: slow for aiming, fast for crossing the screen.
 * @param speed pixels per millisecond
 */
export function getGain(speed: number): number {
  if (speed <= SLOW_PX_PER_MS) return BASE_GAIN * (0.7 + speed);
  return BASE_GAIN * (1 + 2.2 * Math.min(1, (speed - SLOW_PX_PER_MS) / (FAST_PX_PER_MS - SLOW_PX_PER_MS)));
}

function getMode(fingers: number, isScrollHeld: boolean): Gesture['mode'] {
  if (fingers === 1) return isScrollHeld ? 'scrolling' : 'moving';
  return fingers === 2 ? 'scrolling' : 'swiping';
}

const buttonByFingerCount: Readonly<Record<number, ButtonName>> = { 1: 'left', 2: 'right', 3: 'middle' };

type TouchPoint = Extract<Touch, { readonly id: number }>;

function handleDown(gesture: Gesture, { id, x, y, at }: TouchPoint): GestureResult {
  const finger: Finger = { id, startX: x, startY: y, x, y, at };
  if (gesture.fingers.length === 0)
    return { gesture: { ...NO_GESTURE, fingers: [finger], maxFingerCount: 1, startedAt: at }, actions: [] };
  const fingers = [...gesture.fingers.filter((each) => each.id !== id), finger];
  const maxFingerCount = Math.max(gesture.maxFingerCount, fingers.length);
  // A second finger next to a moving one starts scrolling.
  const mode = gesture.mode === 'moving' ? 'scrolling' : gesture.mode;
  return { gesture: { ...gesture, fingers, maxFingerCount, mode }, actions: [] };
}

function handleSwipe(gesture: Gesture, dx: number): GestureResult {
  const swipedPx = gesture.swipedPx + dx / gesture.maxFingerCount;
  if (Math.abs(swipedPx) < MIN_SWIPE_PX) return { gesture: { ...gesture, swipedPx }, actions: [] };
  return {
    gesture: { ...gesture, mode: 'spent' },
    actions: [{ kind: 'swipe', to: swipedPx > 0 ? 'back' : 'forward' }],
  };
}

function handleMove(gesture: Gesture, { id, x, y, at }: TouchPoint, isScrollHeld: boolean): GestureResult {
  const previous = gesture.fingers.find((each) => each.id === id);
  if (!previous) return { gesture, actions: [] };
  const finger = { ...previous, x, y, at };
  const [dx, dy] = [x - previous.x, y - previous.y];
  const isStill = Math.hypot(x - previous.startX, y - previous.startY) <= SLOP_PX;
  const mode = gesture.mode === 'touched' && !isStill ? getMode(gesture.maxFingerCount, isScrollHeld) : gesture.mode;
  // Sensors of a busy phone report several readings with the same time.
  const speed = 0.5 * gesture.speed + (0.5 * Math.hypot(dx, dy)) / Math.max(4, at - previous.at);
  const fingers = gesture.fingers.map((each) => (each.id === id ? finger : each));
  const next: Gesture = { ...gesture, fingers, mode, speed };
  switch (mode) {
    case 'moving':
    case 'dragging':
      return { gesture: next, actions: [{ kind: 'move', dx: dx * getGain(speed), dy: dy * getGain(speed) }] };
    case 'scrolling':
      return {
        gesture: next,
        actions: [{ kind: 'scroll', dx: dx / gesture.maxFingerCount, dy: dy / gesture.maxFingerCount }],
      };
    case 'swiping':
      return handleSwipe(next, dx);
    case 'touched':
    case 'spent':
      return { gesture: next, actions: [] };
  }
}

const NO_ACTIONS: readonly PadAction[] = [];
const END_DRAG: readonly PadAction[] = [{ kind: 'drag', down: false }];

/** Returns what lifting the last finger does. */
function listEndActions({ mode, maxFingerCount, startedAt }: Gesture, at: number): readonly PadAction[] {
  if (mode === 'dragging') return END_DRAG;
  const button = buttonByFingerCount[maxFingerCount];
  const isTap = mode === 'touched' && at - startedAt <= (maxFingerCount === 1 ? MAX_TAP_MS : MAX_MULTI_FINGER_TAP_MS);
  return isTap && button !== undefined ? [{ kind: 'click', button }] : NO_ACTIONS;
}

function handleUp(gesture: Gesture, { kind, id, at }: TouchPoint): GestureResult {
  const { mode } = gesture;
  const fingers = gesture.fingers.filter((each) => each.id !== id);
  if (fingers.length === gesture.fingers.length) return { gesture, actions: NO_ACTIONS };
  const isCancelled = kind === 'cancel';
  if (fingers.length > 0) {
    const continues = mode === 'dragging' || (mode === 'touched' && !isCancelled);
    return { gesture: { ...gesture, fingers, mode: continues ? mode : 'spent' }, actions: NO_ACTIONS };
  }
  const isDiscarded = isCancelled && mode !== 'dragging';
  return { gesture: NO_GESTURE, actions: isDiscarded ? NO_ACTIONS : listEndActions(gesture, at) };
}

function handleTick(gesture: Gesture, at: number): GestureResult {
  const { mode, maxFingerCount, fingers, startedAt } = gesture;
  const isResting =
    mode === 'touched' && maxFingerCount === 1 && fingers.length === 1 && at - startedAt >= HOLD_DELAY_MS;
  if (!isResting) return { gesture, actions: [] };
  return { gesture: { ...gesture, mode: 'dragging' }, actions: [{ kind: 'drag', down: true }] };
}

/**
 * Interprets a touch. One finger moves, two scroll, three swipe back or forward. A tap is the left button, with two
 * fingers the right one, with three the middle one. A finger that rests first drags.
 * @param isScrollHeld one finger scrolls too
 */
export function readTouch(gesture: Gesture, touch: Touch, isScrollHeld = false): GestureResult {
  switch (touch.kind) {
    case 'tick':
      return handleTick(gesture, touch.at);
    case 'down':
      return handleDown(gesture, touch);
    case 'move':
      return handleMove(gesture, touch, isScrollHeld);
    case 'up':
    case 'cancel':
      return handleUp(gesture, touch);
  }
}
