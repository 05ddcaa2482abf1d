import { MINUTE_MS } from '#platform/contract/duration.ts';
import { panView, zoomView, WHOLE_DAY } from '../../domain/lane.ts';
import type { Board } from './canvasBoard.ts';
import { findPointAt, type Tooltip, describePoint, type TimelinePoint } from './cursor.ts';
import { getDayClock } from './dayClock.ts';

const STEP_MINUTES = 5;
const HOUR_MINUTES = 60;

/** Returns the minutes by which a key moves the cursor; undefined for other keys. */
function getMinutes({ key, shiftKey }: KeyboardEvent): number | undefined {
  if (key === 'ArrowLeft') return shiftKey ? -1 : -STEP_MINUTES;
  if (key === 'ArrowRight') return shiftKey ? 1 : STEP_MINUTES;
  if (key === 'PageUp') return HOUR_MINUTES;
  if (key === 'PageDown') return -HOUR_MINUTES;
  return undefined;
}

const clampToDay = (percent: number): number => Math.min(100, Math.max(0, percent));

/** Returns the cursor after a key; undefined for other keys. */
function moveCursor(point: TimelinePoint, event: KeyboardEvent): TimelinePoint | undefined {
  const minutes = getMinutes(event);
  if (minutes !== undefined) {
    const { length } = getDayClock(point.plot.date);
    return { ...point, percent: clampToDay(point.percent + ((minutes * MINUTE_MS) / length) * 100) };
  }
  if (event.key === 'Home') return { ...point, percent: 0 };
  if (event.key === 'End') return { ...point, percent: 100 };
  const laneStep = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (laneStep === undefined) return undefined;
  const lane = Math.min(point.plot.lanes.length - 1, Math.max(0, point.lane + laneStep));
  return { ...point, lane };
}

/** Announces the position of the cursor to screen readers. */
function announce(slider: HTMLElement, point: TimelinePoint): void {
  const text = describePoint(point);
  if (!text) return;
  slider.setAttribute('aria-valuenow', String(Math.round((point.percent / 100) * 1440)));
  slider.setAttribute('aria-valuetext', `${text.name}, ${text.clock}, ${text.what}`);
}

/** A zoomed view follows its cursor, which is then in the middle. */
const CENTRE_SHARE = 0.5;

/**
 * Handles keys on the focused day: arrows move its cursor, plus and minus zoom, 0 resets. The position is announced.
 * Returns a function that stops listening.
 */
export function listenToKeys(root: HTMLElement, board: Board, tip: Tooltip): () => void {
  const abortController = new AbortController();
  const options = { signal: abortController.signal };
  /** Last position of the cursor, which other days continue. */
  let percent = 50;
  let lane = 0;

  function findPoint(target: EventTarget | null): TimelinePoint | undefined {
    const plot = target instanceof Element ? board.findPlot(target) : undefined;
    return plot && { plot, lane: Math.min(lane, plot.lanes.length - 1), percent };
  }
  function show(slider: HTMLElement, point: TimelinePoint): void {
    ({ percent, lane } = point);
    const { from, until } = board.getView();
    if (percent < from || percent > until)
      board.setView(panView(board.getView(), (percent - from) / (until - from) - CENTRE_SHARE));
    announce(slider, point);
    tip.show(point);
  }
  function zoom(key: string): boolean {
    const { from, until } = board.getView();
    const anchor = Math.min(1, Math.max(0, (percent - from) / (until - from)));
    if (key === '+' || key === '=') board.setView(zoomView(board.getView(), anchor, 0.5));
    else if (key === '-') board.setView(zoomView(board.getView(), anchor, 2));
    else if (key === '0') board.setView(WHOLE_DAY);
    else return false;
    return true;
  }

  root.addEventListener(
    'keydown',
    (event) => {
      const point = findPoint(event.target);
      if (!point || !(event.target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
      const next = zoom(event.key) ? point : moveCursor(point, event);
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
      const point = findPoint(event.target);
      if (!point || !(event.target instanceof HTMLElement)) return;
      // A click focuses the day as well, but its tip is at the pointer.
      if (event.target.matches(':focus-visible')) show(event.target, point);
      else announce(event.target, point);
    },
    options,
  );
  root.addEventListener('focusout', () => tip.hide(), options);
  return () => abortController.abort();
}

const WHEEL_FACTOR = 0.0025;
/** A press that moves less is a tap, in px. */
const TAP_PX = 6;

interface Finger {
  x: number;
  readonly startX: number;
  readonly startY: number;
}

/**
 * Handles mouse and touch: hover and tap read a position, Ctrl and wheel or two fingers zoom, dragging or the wheel
 * pans, a double click resets. Returns a function that stops listening.
 */
export function listenToPointer(root: HTMLElement, board: Board, tip: Tooltip): () => void {
  const abortController = new AbortController();
  const options = { signal: abortController.signal };
  const fingers = new Map<number, Finger>();
  let hovered: { readonly x: number; readonly y: number; readonly target: EventTarget | null } | undefined;
  let frame: number | undefined;

  const isZoomed = (): boolean => board.getView() !== WHOLE_DAY;
  function getShare(target: EventTarget | null, x: number): number | undefined {
    const plot = target instanceof Element ? board.findPlot(target) : undefined;
    const box = plot?.box.getBoundingClientRect();
    return box && (x - box.left) / box.width;
  }
  function showHovered(): void {
    frame = undefined;
    const point = hovered && findPointAt(board, hovered.target, hovered.x, hovered.y);
    if (point) tip.show(point);
    else tip.hide();
  }
  function hover(event: PointerEvent | undefined): void {
    hovered = event && { x: event.clientX, y: event.clientY, target: event.target };
    frame ??= requestAnimationFrame(showHovered);
  }

  function pinch(event: PointerEvent): void {
    const [first, second] = [...fingers.values()];
    const finger = fingers.get(event.pointerId);
    if (!first || !second || !finger) return;
    const previousDistance = Math.abs(first.x - second.x);
    finger.x = event.clientX;
    const distance = Math.abs(first.x - second.x);
    const anchor = getShare(event.target, (first.x + second.x) / 2);
    if (anchor !== undefined && previousDistance > 10 && distance > 10)
      board.setView(zoomView(board.getView(), anchor, previousDistance / distance));
  }
  function drag(event: PointerEvent): void {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const distance = finger.x - event.clientX;
    finger.x = event.clientX;
    if (isZoomed() && board.getWidth() > 0) board.setView(panView(board.getView(), distance / board.getWidth()));
  }
  function onMove(event: PointerEvent): void {
    if (fingers.size >= 2) pinch(event);
    else if (fingers.size === 1) drag(event);
    if (event.pointerType === 'mouse') hover(event);
  }
  function onDown(event: PointerEvent): void {
    if (event.button !== 0 || !(event.target instanceof Element) || !board.findPlot(event.target)) return;
    const { clientX: x, clientY: startY } = event;
    fingers.set(event.pointerId, { x, startX: x, startY });
    event.target.setPointerCapture(event.pointerId);
  }
  function onUp(event: PointerEvent): void {
    const finger = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    if (!finger || event.pointerType === 'mouse') return;
    const isTap = Math.hypot(event.clientX - finger.startX, event.clientY - finger.startY) < TAP_PX;
    if (isTap) hover(event);
  }
  function onWheel(event: WheelEvent): void {
    const anchor = getShare(event.target, event.clientX);
    if (anchor === undefined) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      board.setView(zoomView(board.getView(), anchor, Math.exp(event.deltaY * WHEEL_FACTOR)));
      return;
    }
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (sideways === 0 || !isZoomed()) return;
    event.preventDefault();
    board.setView(panView(board.getView(), sideways / Math.max(1, board.getWidth())));
  }

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
    abortController.abort();
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
}
