import { useEffect, useState, type RefObject } from 'react';
import type { ScrolledView } from './legendRows.ts';

const ROW_HEIGHT = 30;
/** Where fingers press. */
const TOUCH_ROW_HEIGHT = 42;
/** Scrolled by less, it is the same view. */
const STEP = ROW_HEIGHT;

/** What is seen of an element that scrolls. */
export const useScrolledView = (element: RefObject<HTMLElement | null>): ScrolledView => {
  const [view, setView] = useState<ScrolledView>({ top: 0, height: 2 * TOUCH_ROW_HEIGHT, width: 0, row: ROW_HEIGHT });
  useEffect(() => {
    const box = element.current;
    if (!box) return undefined;
    const row = matchMedia('(pointer: coarse)').matches ? TOUCH_ROW_HEIGHT : ROW_HEIGHT;
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
