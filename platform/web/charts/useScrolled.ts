import { useEffect, useState, type RefObject } from 'react';
import type { ScrolledView } from './legendRows.ts';

const ROW = 30;
/** Where fingers press. */
const TALL_ROW = 42;
/** Scrolled by less, it is the same view. */
const STEP = ROW;

/** What is seen of an element that scrolls. */
export const useScrolled = (element: RefObject<HTMLElement | null>): ScrolledView => {
  const [view, setView] = useState<ScrolledView>({ top: 0, height: 2 * TALL_ROW, width: 0, row: ROW });
  useEffect(() => {
    const box = element.current;
    if (!box) return undefined;
    const row = matchMedia('(pointer: coarse)').matches ? TALL_ROW : ROW;
    const look = (): void => {
      const top = Math.floor(box.scrollTop / STEP) * STEP;
      const next = { top, height: box.clientHeight, width: box.clientWidth, row };
      setView((now) =>
        now.top === top && now.height === next.height && now.width === next.width && now.row === row ? now : next,
      );
    };
    const watch = new ResizeObserver(look);
    watch.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      watch.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, [element]);
  return view;
};
