import { useLayoutEffect, useState, type RefObject } from 'react';

// Of what is long only what is in sight is drawn: this tells what that is.

interface Sight {
  readonly onScroll: () => void;
  readonly onSize: () => void;
  /** What has a size of its own, and moves what scrolls. */
  readonly around?: Iterable<Element>;
}

/** Tells of every step of a scroll, and of every change of size. Gives how to stop. */
export const watchSight = (scroller: HTMLElement, { onScroll, onSize, around = [] }: Sight): (() => void) => {
  scroller.addEventListener('scroll', onScroll, { passive: true });
  const sized = new ResizeObserver(onSize);
  for (const each of [scroller, ...around]) sized.observe(each);
  return () => {
    scroller.removeEventListener('scroll', onScroll);
    sized.disconnect();
  };
};

/** Scrolls as little as is needed for what stands from `top` to `bottom` to be in sight, and a little around it too. */
export const bringInSight = (scroller: HTMLElement, top: number, bottom: number, around = 0): void => {
  if (top < scroller.scrollTop) scroller.scrollTop = top - around;
  else if (bottom > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = bottom + around - scroller.clientHeight;
};

/** Drawn above and below the rows in sight, so that nothing is blank while it scrolls. */
const SPARE = 6;

interface Rows {
  readonly from: number;
  /** Behind the last one. */
  readonly until: number;
}

const rowsIn = (scroller: HTMLElement, height: number): Rows => ({
  from: Math.max(0, Math.floor(scroller.scrollTop / height) - SPARE),
  until: Math.ceil((scroller.scrollTop + scroller.clientHeight) / height) + SPARE,
});

/** Which rows of a long list that scrolls by itself are to be drawn, all of them being of one height in px. */
export const useRowsInSight = (scroller: RefObject<HTMLElement | null>, height: number): Rows => {
  const [rows, setRows] = useState<Rows>({ from: 0, until: 2 * SPARE });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const look = (): void =>
      setRows((before) => {
        const next = rowsIn(element, height);
        return next.from === before.from && next.until === before.until ? before : next;
      });
    look();
    return watchSight(element, { onScroll: look, onSize: look });
  }, [scroller, height]);
  return rows;
};

/** The same for one row of such a list. */
export const bringRowInSight = (scroller: HTMLElement, row: number, height: number): void =>
  bringInSight(scroller, row * height, (row + 1) * height);
