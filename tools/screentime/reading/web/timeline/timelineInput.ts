import { panned, zoomed } from '../../domain/dayView.ts';
import { WHOLE_DAY } from '../../domain/lane.ts';
import type { Board } from './canvasBoard.ts';
import { spotAt, type Tip } from './cursor.ts';

const WHEEL_FACTOR = 0.0025;
/** A press that moves less is a tap. */
const TAP_PX = 6;

interface Finger {
  x: number;
  readonly beganX: number;
  readonly beganY: number;
}

/**
 * Mouse and touch on the days: hovering and tapping tell what was there, Ctrl and the wheel or two fingers zoom, a zoomed axis is dragged or
 * moved by the wheel, a double click shows the whole day again. Gives back how to stop.
 */
export const listenToPointer = (root: HTMLElement, board: Board, tip: Tip): (() => void) => {
  const over = new AbortController();
  const options = { signal: over.signal };
  const fingers = new Map<number, Finger>();
  let hovered: { readonly x: number; readonly y: number; readonly target: EventTarget | null } | undefined;
  let frame: number | undefined;

  const isZoomed = (): boolean => board.view() !== WHOLE_DAY;
  const shareOf = (target: EventTarget | null, x: number): number | undefined => {
    const plot = target instanceof Element ? board.plotOf(target) : undefined;
    const box = plot?.box.getBoundingClientRect();
    return box && (x - box.left) / box.width;
  };
  const showHovered = (): void => {
    frame = undefined;
    const spot = hovered && spotAt(board, hovered.target, hovered.x, hovered.y);
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
    const at = shareOf(event.target, (one.x + two.x) / 2);
    if (at !== undefined && before > 10 && after > 10) board.setView(zoomed(board.view(), at, before / after));
  };
  const drag = (event: PointerEvent): void => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const by = finger.x - event.clientX;
    finger.x = event.clientX;
    if (isZoomed() && board.width() > 0) board.setView(panned(board.view(), by / board.width()));
  };
  const onMove = (event: PointerEvent): void => {
    if (fingers.size >= 2) pinch(event);
    else if (fingers.size === 1) drag(event);
    if (event.pointerType === 'mouse') hover(event);
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0 || !(event.target instanceof Element) || !board.plotOf(event.target)) return;
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
    const at = shareOf(event.target, event.clientX);
    if (at === undefined) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      board.setView(zoomed(board.view(), at, Math.exp(event.deltaY * WHEEL_FACTOR)));
      return;
    }
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (sideways === 0 || !isZoomed()) return;
    event.preventDefault();
    board.setView(panned(board.view(), sideways / Math.max(1, board.width())));
  };

  root.addEventListener('pointermove', onMove, options);
  root.addEventListener('pointerdown', onDown, options);
  root.addEventListener('pointerup', onUp, options);
  root.addEventListener('pointercancel', (event) => void fingers.delete(event.pointerId), options);
  // A finger leaves as it is lifted; what it has tapped stays told.
  root.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && hover(undefined), options);
  root.addEventListener('wheel', onWheel, { ...options, passive: false });
  root.addEventListener(
    'dblclick',
    (event) => {
      if (event.target instanceof Element && board.plotOf(event.target)) board.setView(WHOLE_DAY);
    },
    options,
  );
  return () => {
    over.abort();
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
};
