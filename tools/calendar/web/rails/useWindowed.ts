import { useEffect, useRef, useState } from 'react';

interface DrawnOptions {
  readonly atFirst: boolean;
  /** In px from the rail's window. */
  readonly within: number;
  /** How much there is to draw. */
  readonly lines: number;
}

const waiting = new Map<() => void, number>();
/** Lines that a phone's processor draws between two pictures and has time to spare. */
const LINES_PER_FRAME = 8;
const drawNext = (): void => {
  let lines = 0;
  for (const [change, its] of waiting) {
    if (lines > 0 && lines + its > LINES_PER_FRAME) break;
    lines += its;
    waiting.delete(change);
    change();
  }
  if (waiting.size > 0) requestAnimationFrame(drawNext);
};

/** A few at a time between two pictures. Gives back how to call it off. */
const inTurn = (change: () => void, lines: number): (() => void) => {
  if (waiting.size === 0) requestAnimationFrame(drawNext);
  waiting.set(change, lines);
  return () => void waiting.delete(change);
};

/**
 * Whether a stretch of a long list is near enough to the window to be drawn. `height` is what it was when it was last seen, for its place
 * while it is not; undefined before. What holds the focus stays.
 */
export function useDrawn({ atFirst, within, lines }: DrawnOptions) {
  const place = useRef<HTMLDivElement>(null);
  const [isDrawn, setDrawn] = useState(atFirst);
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    const stretch = place.current;
    if (!stretch) return undefined;
    let callOff = (): void => undefined;
    const watcher = new IntersectionObserver(
      (seen) => {
        const last = seen.at(-1);
        // In a rail that is not shown nothing is near or far.
        if (!last || last.rootBounds?.height === 0) return;
        callOff();
        callOff = inTurn(() => {
          if (!last.isIntersecting && stretch.contains(document.activeElement)) return;
          if (!last.isIntersecting) setHeight(last.boundingClientRect.height);
          setDrawn(last.isIntersecting);
        }, lines);
      },
      { root: stretch.closest('[data-rail]'), rootMargin: `${within}px 0px` },
    );
    watcher.observe(stretch);
    return () => {
      callOff();
      watcher.disconnect();
    };
  }, [within, lines]);
  return { place, isDrawn, height };
}
