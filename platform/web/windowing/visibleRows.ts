import { useLayoutEffect, useState, type RefObject } from 'react';

/** Runs a task before the next paint, if the browser supports priorities. */
function runSoon(task: () => void): void {
  if ('scheduler' in globalThis) void globalThis.scheduler.postTask(task, { priority: 'user-blocking' });
  else setTimeout(task);
}

/**
 * Forces the layout in a separate task whenever `rendered` changes. Otherwise layout and paint of much new content
 * would be one long task.
 */
export function useLayoutFlush(element: RefObject<Element | null>, rendered: unknown): void {
  useLayoutEffect(() => {
    runSoon(() => void element.current?.getBoundingClientRect());
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- not read, but its change needs a layout
  }, [element, rendered]);
}

// Windowing: only the visible rows of a long list are rendered.

interface ViewportObserver {
  readonly onScroll: () => void;
  readonly onResize: () => void;
  /** Elements whose size affects the scrolled content. */
  readonly otherElements?: Iterable<Element>;
}

/** Observes scrolling and changes of size. Returns a function that stops it. */
export function observeViewport(
  scroller: HTMLElement,
  { onScroll, onResize, otherElements = [] }: ViewportObserver,
): () => void {
  scroller.addEventListener('scroll', onScroll, { passive: true });
  const observer = new ResizeObserver(onResize);
  for (const element of [scroller, ...otherElements]) observer.observe(element);
  return () => {
    scroller.removeEventListener('scroll', onScroll);
    observer.disconnect();
  };
}

/** Scrolls as little as possible to make the range from `top` to `bottom` visible, with some space around it. */
export function scrollIntoView(scroller: HTMLElement, top: number, bottom: number, gapPx = 0): void {
  if (top < scroller.scrollTop) scroller.scrollTop = top - gapPx;
  else if (bottom > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = bottom + gapPx - scroller.clientHeight;
}

/** Rows rendered above and below the viewport, so that fast scrolling shows no blank space. */
const OVERSCAN_ROWS = 6;

interface RowRange {
  readonly from: number;
  /** Excluded. */
  readonly until: number;
}

const getVisibleRows = (scroller: HTMLElement, height: number): RowRange => ({
  from: Math.max(0, Math.floor(scroller.scrollTop / height) - OVERSCAN_ROWS),
  until: Math.ceil((scroller.scrollTop + scroller.clientHeight) / height) + OVERSCAN_ROWS,
});

/** Returns the rows of a scrolling list to render. All rows have the same height in px. */
export function useVisibleRows(scroller: RefObject<HTMLElement | null>, height: number): RowRange {
  const [rows, setRows] = useState<RowRange>({ from: 0, until: 2 * OVERSCAN_ROWS });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const updateRows = (): void =>
      setRows((current) => {
        const next = getVisibleRows(element, height);
        return next.from === current.from && next.until === current.until ? current : next;
      });
    updateRows();
    return observeViewport(element, { onScroll: updateRows, onResize: updateRows });
  }, [scroller, height]);
  return rows;
}

/** Scrolls one row of such a list into view. */
export function scrollRowIntoView(scroller: HTMLElement, row: number, height: number): void {
  return scrollIntoView(scroller, row * height, (row + 1) * height);
}
