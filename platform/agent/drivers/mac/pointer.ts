import type { MacFrameworks } from './frameworks.ts';

/** kHICoordSpace72DPIGlobal: points from the upper left corner of the main screen, as events have them. */
const GLOBAL_POINTS = 1;
/** Moves that follow each other this fast start where the last one ended: macOS handles them later. */
const TRACKED_MS = 250;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The position of the mouse pointer, and where it may be. */
export interface PointerPosition {
  readonly get: () => Point;
  /** Records where an event has moved it. */
  readonly set: (point: Point) => void;
  readonly getCentre: () => Point;
  /** Returns the point that is reached by a move, which ends at the edges of the screens. */
  readonly getTarget: (dx: number, dy: number) => Point;
}

export function createPointerPosition(
  { graphics, optional }: Pick<MacFrameworks, 'graphics' | 'optional'>,
  now: () => number = () => performance.now(),
): PointerPosition {
  let tracked: Point | undefined;
  let trackedAt = 0;
  function getCentre(): Point {
    const display = graphics.CGMainDisplayID();
    return {
      x: Math.floor(Number(graphics.CGDisplayPixelsWide(display)) / 2),
      y: Math.floor(Number(graphics.CGDisplayPixelsHigh(display)) / 2),
    };
  }
  function read(): Point | undefined {
    if (!optional) return undefined;
    const point = Buffer.alloc(16);
    optional.HIGetMousePosition(GLOBAL_POINTS, 0n, point);
    return { x: Math.floor(point.readDoubleLE(0)), y: Math.floor(point.readDoubleLE(8)) };
  }
  function get(): Point {
    if (tracked && now() - trackedAt < TRACKED_MS) return tracked;
    return read() ?? tracked ?? getCentre();
  }
  const display = Buffer.alloc(4);
  const count = Buffer.alloc(4);
  function isOnScreen({ x, y }: Point): boolean {
    return graphics.CGGetDisplaysWithPoint(x, y, 1, display, count) === 0 && count.readUInt32LE() > 0;
  }
  /** Returns how far a move in one direction gets. */
  function limit(from: Point, distance: number, move: (distance: number) => Point): number {
    if (isOnScreen(move(distance))) return distance;
    if (!isOnScreen(from)) return 0;
    let reached = 0;
    for (let step = Math.trunc(distance / 2) || Math.sign(distance); step !== 0;) {
      if (isOnScreen(move(reached + step)) && Math.abs(reached + step) <= Math.abs(distance)) reached += step;
      else if (Math.abs(step) === 1) break;
      if (Math.abs(step) > 1) step = Math.trunc(step / 2);
    }
    return reached;
  }
  return {
    get,
    set: (point) => {
      tracked = point;
      trackedAt = now();
    },
    getCentre,
    getTarget: (dx, dy) => {
      const from = get();
      const target = { x: from.x + dx, y: from.y + dy };
      if (isOnScreen(target)) return target;
      const x = from.x + limit(from, dx, (distance) => ({ x: from.x + distance, y: from.y }));
      const y = from.y + limit({ x, y: from.y }, dy, (distance) => ({ x, y: from.y + distance }));
      return { x, y };
    },
  };
}
