import { useEffect, useState } from 'react';
import { PICTURES_PER_FRAME } from '#platform/web/windowing/frameQueue.ts';

/** How long the list must be still, or scroll slowly, before pictures are shown after fast scrolling. */
const CALM_DELAY_MS = 100;

/** Rows that wait until the list is calm. */
const waiting = new Set<() => void>();
/** Runs during fast scrolling. */
let calmTimer: ReturnType<typeof setTimeout> | undefined;
/** The next frame, if pictures will be shown in it. */
let nextFrame: number | undefined;

function showNext(): void {
  nextFrame = undefined;
  if (calmTimer !== undefined) return;
  for (const show of [...waiting].slice(0, PICTURES_PER_FRAME)) {
    waiting.delete(show);
    show();
  }
  scheduleNext();
}

function scheduleNext(): void {
  if (waiting.size > 0 && calmTimer === undefined) nextFrame ??= requestAnimationFrame(showNext);
}

/**
 * Reports a scroll by this many pixels since the last frame. Above one row per frame, pictures are not visible anyway.
 */
export function reportScroll(px: number, row: number): void {
  if (Math.abs(px) <= row) return;
  clearTimeout(calmTimer);
  calmTimer = setTimeout(() => {
    calmTimer = undefined;
    scheduleNext();
  }, CALM_DELAY_MS);
}

/**
 * Calls `show` in a later frame: a few rows per frame while the list is calm. @returns a function that cancels it
 */
export function scheduleWhenCalm(show: () => void): () => void {
  waiting.add(show);
  scheduleNext();
  return () => void waiting.delete(show);
}

/** Returns whether the row may show its picture. */
export function useIsCalm(): boolean {
  const [isCalm, setIsCalm] = useState(false);
  useEffect(() => (isCalm ? undefined : scheduleWhenCalm(() => setIsCalm(true))), [isCalm]);
  return isCalm;
}
