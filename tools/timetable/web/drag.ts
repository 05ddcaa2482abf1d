import type { Day } from '#platform/contract/day.ts';
import { toMinute, toShare, toShares, type LocalDay } from '../domain/dayShares.ts';
import type { Minute, TimeSpan } from '../domain/slot.ts';
import { moveToDay, snap, moveEnd, moveStart, createDrawnSpan, type PlacedSlot } from '../domain/slotMoves.ts';
import { formatTimes, type PlannedSlot } from './plannedWeek.ts';

// Native pointer events: a drag moves one element, React renders after the drop. [data-strip=<day>] are drop targets.
// [data-scroller] has [data-surface=<day>], which has [data-slot=<id>] with [data-edge] and [data-times].

/** Distance of a drag; shorter movements are clicks. */
const DRAG_THRESHOLD_PX = 4;
/** A finger that moves further before it has rested scrolls or swipes. */
const MAX_REST_MOVEMENT_PX = 10;
const LONG_PRESS_MS = 350;
/** Near the upper and lower edge, a drag scrolls the day. */
const EDGE_PX = 44;
const SCROLL_PX = 12;

export interface DragHooks {
  readonly findSlot: (id: number) => PlannedSlot | undefined;
  readonly getLocalDay: (day: Day) => LocalDay;
  /** Called after a drop at a new position. */
  readonly onMove: (slot: PlannedSlot, to: PlacedSlot) => void;
  readonly onDraw: (day: Day, span: TimeSpan) => void;
  readonly previewClassName: string;
}

interface DropSurface {
  readonly day: Day;
  readonly element: HTMLElement;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A drag in progress: previews the result at a point, and ends. */
interface DragAction {
  readonly area: DragArea;
  readonly show: (point: Point) => void;
  /** Restores the initial state. */
  readonly clear: () => void;
  readonly drop: () => void;
}

interface DragArea {
  readonly surfaces: readonly DropSurface[];
  readonly strips: readonly { readonly day: Day; readonly element: HTMLElement; readonly rect: DOMRect }[];
  readonly scroller: HTMLElement;
  /** Rectangle of the scroller. */
  readonly rect: DOMRect;
  /** Scroll distance since the start. */
  readonly getScrollOffset: () => Point;
}

function measure(root: HTMLElement): DragArea {
  const scroller = root.querySelector<HTMLElement>('[data-scroller]') ?? root;
  const [left, top] = [scroller.scrollLeft, scroller.scrollTop];
  const surfaces = [...root.querySelectorAll<HTMLElement>('[data-surface]')].map((element) => {
    const rect = element.getBoundingClientRect();
    const day = Number(element.dataset['surface']);
    return { day, element, left: rect.left, right: rect.right, top: rect.top, height: rect.height };
  });
  const strips = [...root.querySelectorAll<HTMLElement>('[data-strip]')].map((element) => ({
    day: Number(element.dataset['strip']),
    element,
    rect: element.getBoundingClientRect(),
  }));
  return {
    surfaces,
    strips,
    scroller,
    rect: scroller.getBoundingClientRect(),
    getScrollOffset: () => ({ x: scroller.scrollLeft - left, y: scroller.scrollTop - top }),
  };
}

function findNearestSurface({ surfaces, getScrollOffset }: DragArea, point: Point): DropSurface | undefined {
  const x = point.x + getScrollOffset().x;
  const getDistance = ({ left, right }: DropSurface): number => Math.max(left - x, x - right, 0);
  return surfaces.toSorted((a, b) => getDistance(a) - getDistance(b))[0];
}

/** Returns the share of the day at a point, as measured at the start of the drag. */
const getInitialShare = ({ top, height }: DropSurface, y: number): number => ((y - top) / height) * 100;

const getShare = (area: DragArea, surface: DropSurface, y: number): number =>
  getInitialShare(surface, y + area.getScrollOffset().y);

/** Shows other times in the box of a slot, and restores them. Keeps React's text node. */
function createTimesPreview(box: HTMLElement) {
  const text = box.querySelector('[data-times]')?.firstChild;
  const before = text?.nodeValue ?? '';
  return {
    show: (span: TimeSpan): void => {
      if (text) text.nodeValue = formatTimes(span);
    },
    clear: (): void => {
      if (text) text.nodeValue = before;
    },
  };
}

interface GrabbedSlot {
  readonly area: DragArea;
  readonly hooks: DragHooks;
  readonly slot: PlannedSlot;
  readonly box: HTMLElement;
  readonly from: Point;
}

const isSamePosition = (slot: PlannedSlot, to: PlacedSlot): boolean =>
  slot.day === to.day && slot.start === to.start && slot.end === to.end;

/**
 * Moves a box with a paused animation. A style transform would make Chromium reassign the layers of the whole week
 * at every step, because overlaps could change; for animated elements it expects that anyway.
 */
function startMotion(box: HTMLElement) {
  const effect = new KeyframeEffect(box, { transform: ['none', 'none'] }, 1);
  const animation = new Animation(effect);
  animation.pause();
  return {
    moveBy: (right: number, down: number): void => {
      const transform = `translate(${right}px, ${down}px)`;
      effect.setKeyframes({ transform: [transform, transform] });
    },
    end: (): void => animation.cancel(),
  };
}

function createMove({ area, hooks, slot, box, from }: GrabbedSlot): DragAction {
  const startSurface = area.surfaces.find(({ day }) => day === slot.day);
  const localDay = hooks.getLocalDay(slot.day);
  const startShare = toShares(slot, localDay).start;
  const grabOffset = startSurface ? getInitialShare(startSurface, from.y) - startShare : 0;
  const times = createTimesPreview(box);
  let motion: ReturnType<typeof startMotion> | undefined;
  let to: PlacedSlot = slot;
  let target: HTMLElement | undefined;
  function markTarget(next: HTMLElement | undefined): void {
    if (next === target) return;
    target?.removeAttribute('data-over');
    next?.setAttribute('data-over', '');
    target = next;
  }
  return {
    area,
    // All reads come before all writes, which would otherwise force another layout of the week.
    show: (point) => {
      const strip = area.strips.find(
        ({ rect }) => point.x >= rect.left && point.x <= rect.right && point.y >= rect.top && point.y <= rect.bottom,
      );
      const surface = findNearestSurface(area, point);
      const share = surface ? getShare(area, surface, point.y) : 0;
      markTarget(strip?.element);
      box.dataset['held'] = 'move';
      if (strip) to = moveToDay(slot, strip.day);
      if (!surface || !startSurface || strip) return;
      const day = hooks.getLocalDay(surface.day);
      to = moveToDay(slot, surface.day, toMinute(share - grabOffset, day));
      const down = ((toShares(to, day).start - startShare) / 100) * surface.height;
      motion ??= startMotion(box);
      motion.moveBy(surface.left - startSurface.left, down);
      times.show(to);
    },
    clear: () => {
      markTarget(undefined);
      times.clear();
      motion?.end();
      delete box.dataset['held'];
    },
    drop: () => {
      if (!isSamePosition(slot, to)) hooks.onMove(slot, to);
    },
  };
}

function createResize(grabbedSlot: GrabbedSlot, edge: string): DragAction {
  const { area, hooks, slot, box } = grabbedSlot;
  const startSurface = area.surfaces.find(({ day }) => day === slot.day);
  const localDay = hooks.getLocalDay(slot.day);
  const { top, height } = box.style;
  const times = createTimesPreview(box);
  let to: PlacedSlot = slot;
  return {
    area,
    show: (point) => {
      if (!startSurface) return;
      const minute = toMinute(getShare(area, startSurface, point.y), localDay);
      box.dataset['held'] = 'stretch';
      const span = edge === 'start' ? moveStart(slot, minute) : moveEnd(slot, minute);
      to = { day: slot.day, ...span };
      const share = toShares(span, localDay);
      box.style.top = `${share.start}%`;
      box.style.height = `${share.end - share.start}%`;
      times.show(span);
    },
    clear: () => {
      box.style.top = top;
      box.style.height = height;
      times.clear();
      delete box.dataset['held'];
    },
    drop: () => {
      if (!isSamePosition(slot, to)) hooks.onMove(slot, to);
    },
  };
}

function createDraw(area: DragArea, hooks: DragHooks, surface: DropSurface, from: Point): DragAction {
  const localDay = hooks.getLocalDay(surface.day);
  const down = toMinute(getInitialShare(surface, from.y), localDay);
  let span: TimeSpan | undefined;
  const ghost = document.createElement('div');
  ghost.className = hooks.previewClassName;
  return {
    area,
    show: (point) => {
      span = createDrawnSpan(down, toMinute(getShare(area, surface, point.y), localDay));
      if (!ghost.isConnected) surface.element.append(ghost);
      if (!span) return;
      const share = toShares(span, localDay);
      ghost.style.top = `${share.start}%`;
      ghost.style.height = `${share.end - share.start}%`;
      ghost.textContent = formatTimes(span);
    },
    clear: () => ghost.remove(),
    drop: () => {
      if (span) hooks.onDraw(surface.day, span);
    },
  };
}

/** Returns the drag that starts at this target. */
function createDragAction(area: DragArea, hooks: DragHooks, target: Element, from: Point): DragAction | undefined {
  const box = target.closest<HTMLElement>('[data-slot]');
  if (!box) {
    const surface = area.surfaces.find(({ element }) => element === target.closest('[data-surface]'));
    return surface && createDraw(area, hooks, surface, from);
  }
  const slot = hooks.findSlot(Number(box.dataset['slot']));
  if (!slot) return undefined;
  const edge = target.closest<HTMLElement>('[data-edge]')?.dataset['edge'];
  const grabbedSlot: GrabbedSlot = { area, hooks, slot, box, from };
  return edge === undefined ? createMove(grabbedSlot) : createResize(grabbedSlot, edge);
}

export interface DragController {
  /** Whether the current click ends a drag: something was dragged since the last pointer down. */
  readonly isClickOfDrag: () => boolean;
  readonly isDragging: () => boolean;
  readonly stop: () => void;
}

const noop = (): void => undefined;

/** Makes slots below `root` movable, resizable and drawable: with a mouse immediately, with a finger after a rest. */
export function watchDrags(root: HTMLElement, hooks: () => DragHooks): DragController {
  let action: DragAction | undefined;
  let latest: Point = { x: 0, y: 0 };
  let frame = 0;
  let hasMoved = false;
  let release = noop;

  function scrollAtEdge(scroller: HTMLElement, { top, bottom }: DOMRect): void {
    if (latest.y > bottom - EDGE_PX) scroller.scrollTop += SCROLL_PX;
    // Above are the day headers and, on a phone, the strip of days: only the area just below them scrolls.
    else if (latest.y < top + EDGE_PX * 2 && latest.y > top + EDGE_PX) scroller.scrollTop -= SCROLL_PX;
  }
  function drawFrame(): void {
    frame = 0;
    if (!action) return;
    const { scroller, rect } = action.area;
    const before = scroller.scrollTop;
    scrollAtEdge(scroller, rect);
    // Read before anything is written, which would force a layout of the week.
    const hasScrolled = scroller.scrollTop !== before;
    action.show(latest);
    if (hasScrolled) frame = requestAnimationFrame(drawFrame);
  }
  function trackPointer(event: PointerEvent): void {
    latest = { x: event.clientX, y: event.clientY };
    if (action && frame === 0) frame = requestAnimationFrame(drawFrame);
  }

  function endDrag(isDrop: boolean): void {
    release();
    const ended = action;
    action = undefined;
    cancelAnimationFrame(frame);
    frame = 0;
    if (!ended) return;
    if (isDrop) ended.show(latest);
    ended.clear();
    hasMoved = true;
    if (isDrop) ended.drop();
  }

  function startDrag(next: DragAction, target: Element, pointer: number): void {
    action = next;
    // With pointer capture, elements under the pointer need no style update at every step.
    (target.closest('[data-slot]') ?? root).setPointerCapture(pointer);
    // Starts in the frame after next, as the next one contains the work of the capture.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(drawFrame);
    });
  }

  function onDown(event: PointerEvent): void {
    hasMoved = false;
    const { target, button, isPrimary, pointerType, pointerId } = event;
    if (action || button !== 0 || !isPrimary || !(target instanceof Element)) return;
    if (!target.closest('[data-slot], [data-surface]')) return;
    release();
    const from: Point = { x: event.clientX, y: event.clientY };
    latest = from;
    // Prepared now, as the first step of the drag is expensive enough.
    const nextAction = createDragAction(measure(root), hooks(), target, from);
    if (!nextAction) return;
    const mustRest = pointerType === 'touch' && !target.closest('[data-edge]');
    const timer = mustRest ? setTimeout(() => startDrag(nextAction, target, pointerId), LONG_PRESS_MS) : undefined;
    const onMove = (moved: PointerEvent): void => {
      if (moved.pointerId !== pointerId) return;
      trackPointer(moved);
      if (action) return;
      const distance = Math.hypot(moved.clientX - from.x, moved.clientY - from.y);
      if (mustRest && distance > MAX_REST_MOVEMENT_PX) release();
      if (!mustRest && distance >= DRAG_THRESHOLD_PX) startDrag(nextAction, target, pointerId);
    };
    function onUp(up: PointerEvent): void {
      if (up.pointerId !== pointerId) return;
      if (up.type === 'pointerup') latest = { x: up.clientX, y: up.clientY };
      endDrag(up.type === 'pointerup');
    }
    function onKey(key: KeyboardEvent): void {
      if (!action || key.key !== 'Escape') return;
      key.stopPropagation();
      endDrag(false);
    }
    window.addEventListener('pointermove', onMove);
    window.addEventListener('pointerup', onUp);
    window.addEventListener('pointercancel', onUp);
    window.addEventListener('keydown', onKey, true);
    release = () => {
      clearTimeout(timer);
      window.removeEventListener('pointermove', onMove);
      window.removeEventListener('pointerup', onUp);
      window.removeEventListener('pointercancel', onUp);
      window.removeEventListener('keydown', onKey, true);
      release = noop;
    };
  }
  // While a finger drags, the page must not scroll. Only a listener from before the touch can prevent that.
  function onTouchMove(event: TouchEvent): void {
    if (action && event.cancelable) event.preventDefault();
  }
  function onContextMenu(event: Event): void {
    if (action) event.preventDefault();
  }
  root.addEventListener('pointerdown', onDown);
  root.addEventListener('touchmove', onTouchMove, { passive: false });
  root.addEventListener('contextmenu', onContextMenu);
  return {
    isClickOfDrag: () => hasMoved,
    isDragging: () => action !== undefined,
    stop: () => {
      endDrag(false);
      root.removeEventListener('pointerdown', onDown);
      root.removeEventListener('touchmove', onTouchMove);
      root.removeEventListener('contextmenu', onContextMenu);
    },
  };
}

/** Returns the hour to propose for a double click, within the day. */
export function getHourSpan(minute: Minute): TimeSpan {
  const start = Math.max(0, Math.min(snap(Math.floor(minute / 30) * 30), 23 * 60));
  return { start, end: start + 60 };
}

/** Returns the clock minute at a click. */
export function getMinuteAt(surface: HTMLElement, y: number, localDay: LocalDay): Minute {
  const { top, height } = surface.getBoundingClientRect();
  return toMinute(((y - top) / height) * 100, localDay);
}

/** Returns the position of a clock minute in its day, in pixels from the top. */
export function getMinuteOffset(surface: HTMLElement, minute: Minute, localDay: LocalDay): number {
  return (toShare(minute, localDay) / 100) * surface.offsetHeight;
}
