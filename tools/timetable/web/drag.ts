import type { Day } from '#platform/contract/day.ts';
import { minuteAt, toShare, toShares, type RealDay } from '../domain/dayShares.ts';
import type { Minute, TimeSpan } from '../domain/slot.ts';
import { moveToDay, snap, moveEnd, moveStart, createDrawnSpan, type PlacedSlot } from '../domain/slotMoves.ts';
import { formatTimes, type PlannedSlot } from './planned.ts';

// Native pointer events: a drag moves one element, React renders after the drop. [data-strip=<day>] are drop targets.
// [data-scroller] has [data-surface=<day>], which has [data-slot=<id>] with [data-edge] and [data-times].

/** Distance of a drag; shorter movements are clicks. */
const BEGINS_PX = 4;
/** A finger that moves further before it has rested scrolls or swipes. */
const RESTS_PX = 10;
const RESTS_MS = 350;
/** Near the upper and lower edge, a drag scrolls the day. */
const EDGE_PX = 44;
const SCROLL_PX = 12;

export interface DragHooks {
  readonly findSlot: (id: number) => PlannedSlot | undefined;
  readonly realDay: (day: Day) => RealDay;
  /** Called after a drop at a new position. */
  readonly onMove: (slot: PlannedSlot, to: PlacedSlot) => void;
  readonly onDraw: (day: Day, span: TimeSpan) => void;
  readonly ghost: string;
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
  readonly place: DragSurface;
  readonly show: (at: Point) => void;
  /** Restores the initial state. */
  readonly clear: () => void;
  readonly drop: () => void;
}

interface DragSurface {
  readonly surfaces: readonly DropSurface[];
  readonly strips: readonly { readonly day: Day; readonly element: HTMLElement; readonly rect: DOMRect }[];
  readonly scroller: HTMLElement;
  /** Rectangle of the scroller. */
  readonly rect: DOMRect;
  /** Scroll distance since the start. */
  readonly scrolled: () => Point;
}

const measure = (root: HTMLElement): DragSurface => {
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
    scrolled: () => ({ x: scroller.scrollLeft - left, y: scroller.scrollTop - top }),
  };
};

const findNearestSurface = ({ surfaces, scrolled }: DragSurface, at: Point): DropSurface | undefined => {
  const x = at.x + scrolled().x;
  const away = ({ left, right }: DropSurface): number => Math.max(left - x, x - right, 0);
  return surfaces.toSorted((a, b) => away(a) - away(b))[0];
};

/** Share of the day at a point, as measured at the start of the drag. */
const shareOfPoint = ({ top, height }: DropSurface, y: number): number => ((y - top) / height) * 100;

const shareAt = (place: DragSurface, surface: DropSurface, y: number): number =>
  shareOfPoint(surface, y + place.scrolled().y);

/** Shows the times of a slot in its box, and returns a function that restores them. Keeps React's text node. */
const createTimesWriter = (box: HTMLElement) => {
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
};

interface HeldSlot {
  readonly place: DragSurface;
  readonly hooks: DragHooks;
  readonly slot: PlannedSlot;
  readonly box: HTMLElement;
  readonly from: Point;
}

const isSame = (slot: PlannedSlot, to: PlacedSlot): boolean =>
  slot.day === to.day && slot.start === to.start && slot.end === to.end;

/**
 * Moves a box with a paused animation. A style transform would make Chromium reassign the layers of the whole week
 * at every step, because overlaps could change; for animated elements it expects that anyway.
 */
const startMotion = (box: HTMLElement) => {
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
};

const createMove = ({ place, hooks, slot, box, from }: HeldSlot): DragAction => {
  const home = place.surfaces.find(({ day }) => day === slot.day);
  const real = hooks.realDay(slot.day);
  const first = toShares(slot, real).start;
  const grabbed = home ? shareOfPoint(home, from.y) - first : 0;
  const times = createTimesWriter(box);
  let motion: ReturnType<typeof startMotion> | undefined;
  let to: PlacedSlot = slot;
  let over: HTMLElement | undefined;
  const mark = (next: HTMLElement | undefined): void => {
    if (next === over) return;
    over?.removeAttribute('data-over');
    next?.setAttribute('data-over', '');
    over = next;
  };
  return {
    place,
    // All reads come before all writes, which would otherwise force another layout of the week.
    show: (at) => {
      const strip = place.strips.find(
        ({ rect }) => at.x >= rect.left && at.x <= rect.right && at.y >= rect.top && at.y <= rect.bottom,
      );
      const surface = findNearestSurface(place, at);
      const share = surface ? shareAt(place, surface, at.y) : 0;
      mark(strip?.element);
      box.dataset['held'] = 'move';
      if (strip) to = moveToDay(slot, strip.day);
      if (!surface || !home || strip) return;
      const day = hooks.realDay(surface.day);
      to = moveToDay(slot, surface.day, minuteAt(share - grabbed, day));
      const down = ((toShares(to, day).start - first) / 100) * surface.height;
      motion ??= startMotion(box);
      motion.moveBy(surface.left - home.left, down);
      times.show(to);
    },
    clear: () => {
      mark(undefined);
      times.clear();
      motion?.end();
      delete box.dataset['held'];
    },
    drop: () => {
      if (!isSame(slot, to)) hooks.onMove(slot, to);
    },
  };
};

const createResize = (slotToDrag: HeldSlot, edge: string): DragAction => {
  const { place, hooks, slot, box } = slotToDrag;
  const home = place.surfaces.find(({ day }) => day === slot.day);
  const real = hooks.realDay(slot.day);
  const { top, height } = box.style;
  const times = createTimesWriter(box);
  let to: PlacedSlot = slot;
  return {
    place,
    show: (at) => {
      if (!home) return;
      const minute = minuteAt(shareAt(place, home, at.y), real);
      box.dataset['held'] = 'stretch';
      const span = edge === 'start' ? moveStart(slot, minute) : moveEnd(slot, minute);
      to = { day: slot.day, ...span };
      const share = toShares(span, real);
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
      if (!isSame(slot, to)) hooks.onMove(slot, to);
    },
  };
};

const createDraw = (place: DragSurface, hooks: DragHooks, surface: DropSurface, from: Point): DragAction => {
  const real = hooks.realDay(surface.day);
  const down = minuteAt(shareOfPoint(surface, from.y), real);
  let span: TimeSpan | undefined;
  const ghost = document.createElement('div');
  ghost.className = hooks.ghost;
  return {
    place,
    show: (at) => {
      span = createDrawnSpan(down, minuteAt(shareAt(place, surface, at.y), real));
      if (!ghost.isConnected) surface.element.append(ghost);
      if (!span) return;
      const share = toShares(span, real);
      ghost.style.top = `${share.start}%`;
      ghost.style.height = `${share.end - share.start}%`;
      ghost.textContent = formatTimes(span);
    },
    clear: () => ghost.remove(),
    drop: () => {
      if (span) hooks.onDraw(surface.day, span);
    },
  };
};

/** Returns the drag that starts at this target. */
const createDragAction = (
  place: DragSurface,
  hooks: DragHooks,
  target: Element,
  from: Point,
): DragAction | undefined => {
  const box = target.closest<HTMLElement>('[data-slot]');
  if (!box) {
    const surface = place.surfaces.find(({ element }) => element === target.closest('[data-surface]'));
    return surface && createDraw(place, hooks, surface, from);
  }
  const slot = hooks.findSlot(Number(box.dataset['slot']));
  if (!slot) return undefined;
  const edge = target.closest<HTMLElement>('[data-edge]')?.dataset['edge'];
  const slotToDrag: HeldSlot = { place, hooks, slot, box, from };
  return edge === undefined ? createMove(slotToDrag) : createResize(slotToDrag, edge);
};

export interface Drags {
  /** Whether the current click ends a drag: something was dragged since the last pointer down. */
  readonly isClickOfDrag: () => boolean;
  readonly isHolding: () => boolean;
  readonly stop: () => void;
}

const nothing = (): void => undefined;

/** Makes slots below `root` movable, resizable and drawable: with a mouse immediately, with a finger after a rest. */
export function watchDrags(root: HTMLElement, hooks: () => DragHooks): Drags {
  let act: DragAction | undefined;
  let latest: Point = { x: 0, y: 0 };
  let frame = 0;
  let hasMoved = false;
  let release = nothing;

  const scrollAtEdge = (scroller: HTMLElement, { top, bottom }: DOMRect): void => {
    if (latest.y > bottom - EDGE_PX) scroller.scrollTop += SCROLL_PX;
    // Above are the day headers and, on a phone, the strip of days: only the area just below them scrolls.
    else if (latest.y < top + EDGE_PX * 2 && latest.y > top + EDGE_PX) scroller.scrollTop -= SCROLL_PX;
  };
  const draw = (): void => {
    frame = 0;
    if (!act) return;
    const { scroller, rect } = act.place;
    const before = scroller.scrollTop;
    scrollAtEdge(scroller, rect);
    // Read before anything is written, which would force a layout of the week.
    const hasScrolled = scroller.scrollTop !== before;
    act.show(latest);
    if (hasScrolled) frame = requestAnimationFrame(draw);
  };
  const follow = (event: PointerEvent): void => {
    latest = { x: event.clientX, y: event.clientY };
    if (act && frame === 0) frame = requestAnimationFrame(draw);
  };

  const end = (isDrop: boolean): void => {
    release();
    const ended = act;
    act = undefined;
    cancelAnimationFrame(frame);
    frame = 0;
    if (!ended) return;
    if (isDrop) ended.show(latest);
    ended.clear();
    hasMoved = true;
    if (isDrop) ended.drop();
  };

  const startDrag = (next: DragAction, target: Element, pointer: number): void => {
    act = next;
    // With pointer capture, elements under the pointer need no style update at every step.
    (target.closest('[data-slot]') ?? root).setPointerCapture(pointer);
    // Starts in the frame after next, as the next one contains the work of the capture.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(draw);
    });
  };

  const onDown = (event: PointerEvent): void => {
    hasMoved = false;
    const { target, button, isPrimary, pointerType, pointerId } = event;
    if (act || button !== 0 || !isPrimary || !(target instanceof Element)) return;
    if (!target.closest('[data-slot], [data-surface]')) return;
    release();
    const from: Point = { x: event.clientX, y: event.clientY };
    latest = from;
    // Prepared now, as the first step of the drag is expensive enough.
    const ready = createDragAction(measure(root), hooks(), target, from);
    if (!ready) return;
    const mustRest = pointerType === 'touch' && !target.closest('[data-edge]');
    const rest = mustRest ? setTimeout(() => startDrag(ready, target, pointerId), RESTS_MS) : undefined;
    const onMove = (moved: PointerEvent): void => {
      if (moved.pointerId !== pointerId) return;
      follow(moved);
      if (act) return;
      const far = Math.hypot(moved.clientX - from.x, moved.clientY - from.y);
      if (mustRest && far > RESTS_PX) release();
      if (!mustRest && far >= BEGINS_PX) startDrag(ready, target, pointerId);
    };
    const onUp = (up: PointerEvent): void => {
      if (up.pointerId !== pointerId) return;
      if (up.type === 'pointerup') latest = { x: up.clientX, y: up.clientY };
      end(up.type === 'pointerup');
    };
    const onKey = (key: KeyboardEvent): void => {
      if (!act || key.key !== 'Escape') return;
      key.stopPropagation();
      end(false);
    };
    window.addEventListener('pointermove', onMove);
    window.addEventListener('pointerup', onUp);
    window.addEventListener('pointercancel', onUp);
    window.addEventListener('keydown', onKey, true);
    release = () => {
      clearTimeout(rest);
      window.removeEventListener('pointermove', onMove);
      window.removeEventListener('pointerup', onUp);
      window.removeEventListener('pointercancel', onUp);
      window.removeEventListener('keydown', onKey, true);
      release = nothing;
    };
  };
  // While a finger drags, the page must not scroll. Only a listener from before the touch can prevent that.
  const onTouchMove = (event: TouchEvent): void => {
    if (act && event.cancelable) event.preventDefault();
  };
  const onMenu = (event: Event): void => {
    if (act) event.preventDefault();
  };
  root.addEventListener('pointerdown', onDown);
  root.addEventListener('touchmove', onTouchMove, { passive: false });
  root.addEventListener('contextmenu', onMenu);
  return {
    isClickOfDrag: () => hasMoved,
    isHolding: () => act !== undefined,
    stop: () => {
      end(false);
      root.removeEventListener('pointerdown', onDown);
      root.removeEventListener('touchmove', onTouchMove);
      root.removeEventListener('contextmenu', onMenu);
    },
  };
}

/** Returns the hour to propose for a double click, within the day. */
export function hourAt(minute: Minute): TimeSpan {
  const start = Math.max(0, Math.min(snap(Math.floor(minute / 30) * 30), 23 * 60));
  return { start, end: start + 60 };
}

/** Returns the clock minute at a click. */
export function getMinuteAt(surface: HTMLElement, y: number, real: RealDay): Minute {
  const { top, height } = surface.getBoundingClientRect();
  return minuteAt(((y - top) / height) * 100, real);
}

/** Returns the position of a clock minute in its day, in pixels from the top. */
export function pixelsTo(surface: HTMLElement, minute: Minute, real: RealDay): number {
  return (toShare(minute, real) / 100) * surface.offsetHeight;
}
