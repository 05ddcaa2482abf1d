import { MINUTE_MS } from '#platform/contract/duration.ts';
import { panView, zoomView, WHOLE_DAY } from '../../domain/lane.ts';
import type { Board } from './canvasBoard.ts';
import { findPointAt, type TooltipPosition, describePoint, type TimelinePoint } from './cursor.ts';
import { dayClock } from './dayClock.ts';

const STEP = 5;
const HOUR = 60;

/** Returns the minutes by which a key moves the cursor; undefined for other keys. */
const getMinutes = ({ key, shiftKey }: KeyboardEvent): number | undefined => {
  if (key === 'ArrowLeft') return shiftKey ? -1 : -STEP;
  if (key === 'ArrowRight') return shiftKey ? 1 : STEP;
  if (key === 'PageUp') return HOUR;
  if (key === 'PageDown') return -HOUR;
  return undefined;
};

const clampToDay = (percent: number): number => Math.min(100, Math.max(0, percent));

/** Returns the cursor after a key; undefined for other keys. */
const moveCursor = (spot: TimelinePoint, event: KeyboardEvent): TimelinePoint | undefined => {
  const minutes = getMinutes(event);
  if (minutes !== undefined) {
    const { length } = dayClock(spot.plot.date);
    return { ...spot, percent: clampToDay(spot.percent + ((minutes * MINUTE_MS) / length) * 100) };
  }
  if (event.key === 'Home') return { ...spot, percent: 0 };
  if (event.key === 'End') return { ...spot, percent: 100 };
  const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (down === undefined) return undefined;
  const lane = Math.min(spot.plot.lanes.length - 1, Math.max(0, spot.lane + down));
  return { ...spot, lane };
};

/** Announces the position of the cursor to screen readers. */
const announce = (slider: HTMLElement, spot: TimelinePoint): void => {
  const reading = describePoint(spot);
  if (!reading) return;
  slider.setAttribute('aria-valuenow', String(Math.round((spot.percent / 100) * 1440)));
  slider.setAttribute('aria-valuetext', `${reading.name}, ${reading.clock}, ${reading.what}`);
};

/** A zoomed view follows its cursor, which is then in the middle. */
const FOLLOW = 0.5;

/**
 * Handles keys on the focused day: arrows move its cursor, plus and minus zoom, 0 resets. The position is announced.
 * Returns a function that stops listening.
 */
export function listenToKeys(root: HTMLElement, board: Board, tip: TooltipPosition): () => void {
  const over = new AbortController();
  const options = { signal: over.signal };
  /** Last position of the cursor, which other days continue. */
  let percent = 50;
  let lane = 0;

  const findPoint = (target: EventTarget | null): TimelinePoint | undefined => {
    const plot = target instanceof Element ? board.findPlot(target) : undefined;
    return plot && { plot, lane: Math.min(lane, plot.lanes.length - 1), percent };
  };
  const show = (slider: HTMLElement, spot: TimelinePoint): void => {
    ({ percent, lane } = spot);
    const { from, until } = board.view();
    if (percent < from || percent > until)
      board.setView(panView(board.view(), (percent - from) / (until - from) - FOLLOW));
    announce(slider, spot);
    tip.show(spot);
  };
  const zoom = (key: string): boolean => {
    const { from, until } = board.view();
    const at = Math.min(1, Math.max(0, (percent - from) / (until - from)));
    if (key === '+' || key === '=') board.setView(zoomView(board.view(), at, 0.5));
    else if (key === '-') board.setView(zoomView(board.view(), at, 2));
    else if (key === '0') board.setView(WHOLE_DAY);
    else return false;
    return true;
  };

  root.addEventListener(
    'keydown',
    (event) => {
      const spot = findPoint(event.target);
      if (!spot || !(event.target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
      const next = zoom(event.key) ? spot : moveCursor(spot, event);
      if (next) {
        event.preventDefault();
        show(event.target, next);
      } else if (event.key === 'Escape') tip.hide();
    },
    options,
  );
  root.addEventListener(
    'focusin',
    (event) => {
      const spot = findPoint(event.target);
      if (!spot || !(event.target instanceof HTMLElement)) return;
      // A click focuses the day as well, but its tip is at the pointer.
      if (event.target.matches(':focus-visible')) show(event.target, spot);
      else announce(event.target, spot);
    },
    options,
  );
  root.addEventListener('focusout', () => tip.hide(), options);
  return () => over.abort();
}

const WHEEL_FACTOR = 0.0025;
/** A press that moves less is a tap, in px. */
const TAP_PX = 6;

interface Finger {
  x: number;
  readonly beganX: number;
  readonly beganY: number;
}

/**
 * Handles mouse and touch: hover and tap read a position, Ctrl and wheel or two fingers zoom, dragging or the wheel
 * pans, a double click resets. Returns a function that stops listening.
 */
export function listenToPointer(root: HTMLElement, board: Board, tip: TooltipPosition): () => void {
  const over = new AbortController();
  const options = { signal: over.signal };
  const fingers = new Map<number, Finger>();
  let hovered: { readonly x: number; readonly y: number; readonly target: EventTarget | null } | undefined;
  let frame: number | undefined;

  const isZoomed = (): boolean => board.view() !== WHOLE_DAY;
  const findShare = (target: EventTarget | null, x: number): number | undefined => {
    const plot = target instanceof Element ? board.findPlot(target) : undefined;
    const box = plot?.box.getBoundingClientRect();
    return box && (x - box.left) / box.width;
  };
  const showHovered = (): void => {
    frame = undefined;
    const spot = hovered && findPointAt(board, hovered.target, hovered.x, hovered.y);
    if (spot) tip.show(spot);
    else tip.hide();
  };
  const hover = (event: PointerEvent | undefined): void => {
    hovered = event && { x: event.clientX, y: event.clientY, target: event.target };
    frame ??= requestAnimationFrame(showHovered);
  };

  const pinch = (event: PointerEvent): void => {
    const [one, two] = [...fingers.values()];
    const finger = fingers.get(event.pointerId);
    if (!one || !two || !finger) return;
    const before = Math.abs(one.x - two.x);
    finger.x = event.clientX;
    const after = Math.abs(one.x - two.x);
    const at = findShare(event.target, (one.x + two.x) / 2);
    if (at !== undefined && before > 10 && after > 10) board.setView(zoomView(board.view(), at, before / after));
  };
  const drag = (event: PointerEvent): void => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const by = finger.x - event.clientX;
    finger.x = event.clientX;
    if (isZoomed() && board.width() > 0) board.setView(panView(board.view(), by / board.width()));
  };
  const onMove = (event: PointerEvent): void => {
    if (fingers.size >= 2) pinch(event);
    else if (fingers.size === 1) drag(event);
    if (event.pointerType === 'mouse') hover(event);
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0 || !(event.target instanceof Element) || !board.findPlot(event.target)) return;
    const { clientX: x, clientY: beganY } = event;
    fingers.set(event.pointerId, { x, beganX: x, beganY });
    event.target.setPointerCapture(event.pointerId);
  };
  const onUp = (event: PointerEvent): void => {
    const finger = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    if (!finger || event.pointerType === 'mouse') return;
    const isTap = Math.hypot(event.clientX - finger.beganX, event.clientY - finger.beganY) < TAP_PX;
    if (isTap) hover(event);
  };
  const onWheel = (event: WheelEvent): void => {
    const at = findShare(event.target, event.clientX);
    if (at === undefined) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      board.setView(zoomView(board.view(), at, Math.exp(event.deltaY * WHEEL_FACTOR)));
      return;
    }
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (sideways === 0 || !isZoomed()) return;
    event.preventDefault();
    board.setView(panView(board.view(), sideways / Math.max(1, board.width())));
  };

  root.addEventListener('pointermove', onMove, options);
  root.addEventListener('pointerdown', onDown, options);
  root.addEventListener('pointerup', onUp, options);
  root.addEventListener('pointercancel', (event) => void fingers.delete(event.pointerId), options);
  // A finger leaves when it is lifted, but the tip of its tap stays.
  root.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && hover(undefined), options);
  root.addEventListener('wheel', onWheel, { ...options, passive: false });
  root.addEventListener(
    'dblclick',
    (event) => {
      if (event.target instanceof Element && board.findPlot(event.target)) board.setView(WHOLE_DAY);
    },
    options,
  );
  return () => {
    over.abort();
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
}
