import { useLayoutEffect, useState, type RefObject } from 'react';

/** Before the browser draws, where it knows a way to say so. */
const runInNextTask = (work: () => void): void => {
  if ('scheduler' in globalThis) void globalThis.scheduler.postTask(work, { priority: 'user-blocking' });
  else setTimeout(work);
};

/**
 * Has what was drawn laid out in a piece of work of its own, whenever `drawn` is another: left to the next drawing of the screen, much that is new is
 * laid out, painted and handed on in one long piece.
 */
export function useLayoutFlush(place: RefObject<Element | null>, drawn: unknown): void {
  useLayoutEffect(() => {
    runInNextTask(() => void place.current?.getBoundingClientRect());
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- what is drawn is not read, and is laid out
  }, [place, drawn]);
}

// Of what is long only what is in sight is drawn: this tells what that is.

interface ViewportObserver {
  readonly onScroll: () => void;
  readonly onResize: () => void;
  /** What has a size of its own, and moves what scrolls. */
  readonly around?: Iterable<Element>;
}

/** Tells of every step of a scroll, and of every change of size. Gives how to stop. */
export function observeViewport(
  scroller: HTMLElement,
  { onScroll, onResize, around = [] }: ViewportObserver,
): () => void {
  scroller.addEventListener('scroll', onScroll, { passive: true });
  const sized = new ResizeObserver(onResize);
  for (const each of [scroller, ...around]) sized.observe(each);
  return () => {
    scroller.removeEventListener('scroll', onScroll);
    sized.disconnect();
  };
}

/** Scrolls as little as is needed for what stands from `top` to `bottom` to be in sight, and a little around it too. */
export function scrollIntoView(scroller: HTMLElement, top: number, bottom: number, around = 0): void {
  if (top < scroller.scrollTop) scroller.scrollTop = top - around;
  else if (bottom > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = bottom + around - scroller.clientHeight;
}

/** Drawn above and below the rows in sight, so that nothing is blank while it scrolls. */
const OVERSCAN_ROWS = 6;

interface RowRange {
  readonly from: number;
  /** Behind the last one. */
  readonly until: number;
}

const getVisibleRows = (scroller: HTMLElement, height: number): RowRange => ({
  from: Math.max(0, Math.floor(scroller.scrollTop / height) - OVERSCAN_ROWS),
  until: Math.ceil((scroller.scrollTop + scroller.clientHeight) / height) + OVERSCAN_ROWS,
});

/** Which rows of a long list that scrolls by itself are to be drawn, all of them being of one height in px. */
export function useVisibleRows(scroller: RefObject<HTMLElement | null>, height: number): RowRange {
  const [rows, setRows] = useState<RowRange>({ from: 0, until: 2 * OVERSCAN_ROWS });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const look = (): void =>
      setRows((before) => {
        const next = getVisibleRows(element, height);
        return next.from === before.from && next.until === before.until ? before : next;
      });
    look();
    return observeViewport(element, { onScroll: look, onResize: look });
  }, [scroller, height]);
  return rows;
}

/** The same for one row of such a list. */
export function scrollRowIntoView(scroller: HTMLElement, row: number, height: number): void {
  return scrollIntoView(scroller, row * height, (row + 1) * height);
}
