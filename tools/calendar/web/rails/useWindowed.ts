import { useEffect, useRef, useState } from 'react';
import { LINES_PER_FRAME, takeJobs } from '#platform/web/windowing/frameQueue.ts';

interface DrawnOptions {
  readonly atFirst: boolean;
  /** In px from the viewport of the rail. */
  readonly within: number;
  /** Number of lines to draw. */
  readonly lines: number;
}

const waiting = new Map<() => void, number>();
const drawNext = (): void => {
  for (const change of takeJobs([waiting], LINES_PER_FRAME)) change();
  if (waiting.size > 0) requestAnimationFrame(drawNext);
};

/** Runs a change within the frame budget. Returns a function that cancels it. */
const scheduleInFrame = (change: () => void, lines: number): (() => void) => {
  if (waiting.size === 0) requestAnimationFrame(drawNext);
  waiting.set(change, lines);
  return () => void waiting.delete(change);
};

/**
 * Whether a section of a long list is near enough to the viewport to be drawn. `height` is its last known height for
 * the placeholder, or undefined. A section with the focus stays drawn.
 */
export function useDrawn({ atFirst, within, lines }: DrawnOptions) {
  const place = useRef<HTMLDivElement>(null);
  const [isDrawn, setDrawn] = useState(atFirst);
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    const stretch = place.current;
    if (!stretch) return undefined;
    let cancel = (): void => undefined;
    const watcher = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        // In a hidden rail, distances mean nothing.
        if (!last || last.rootBounds?.height === 0) return;
        cancel();
        cancel = scheduleInFrame(() => {
          if (!last.isIntersecting && stretch.contains(document.activeElement)) return;
          if (!last.isIntersecting) setHeight(last.boundingClientRect.height);
          setDrawn(last.isIntersecting);
        }, lines);
      },
      { root: stretch.closest('[data-rail]'), rootMargin: `${within}px 0px` },
    );
    watcher.observe(stretch);
    return () => {
      cancel();
      watcher.disconnect();
    };
  }, [within, lines]);
  return { place, isDrawn, height };
}
