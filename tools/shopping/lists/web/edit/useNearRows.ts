import { useEffect, useState, type RefObject } from 'react';
import { useEdit } from './editContext.ts';

/** A thousand rows have thousands of fields and buttons, so rows far from the viewport are rendered without them. */
const MARGIN_PX = 900;

const scrolls = (element: Element): boolean => /auto|scroll/.test(getComputedStyle(element).overflowY);
/** Returns the scrolling ancestor of an element; null means the window. */
const getScroller = (element: Element): Element | null => {
  let place = element.parentElement;
  while (place && !scrolls(place)) place = place.parentElement;
  return place;
};

/** Observes which elements are near the viewport, with one IntersectionObserver for all of them. */
export function createNearViewport() {
  const callbackByElement = new Map<Element, (isNear: boolean, height: number) => void>();
  let watcher: IntersectionObserver | undefined;
  const onIntersect = (seen: readonly IntersectionObserverEntry[]): void => {
    for (const { target, isIntersecting, boundingClientRect } of seen)
      callbackByElement.get(target)?.(isIntersecting, boundingClientRect.height);
  };
  return (element: Element, change: (isNear: boolean, height: number) => void): (() => void) => {
    watcher ??= new IntersectionObserver(onIntersect, { root: getScroller(element), rootMargin: `${MARGIN_PX}px 0px` });
    callbackByElement.set(element, change);
    watcher.observe(element);
    return () => {
      callbackByElement.delete(element);
      watcher?.unobserve(element);
      if (callbackByElement.size > 0) return;
      watcher?.disconnect();
      watcher = undefined;
    };
  };
}

/** Returns whether a row is rendered completely, and its last height. A row that contains the focus stays complete. */
export function useNear(row: RefObject<HTMLElement | null>, atFirst: boolean) {
  const edit = useEdit();
  const [near, setNear] = useState<{ readonly is: boolean; readonly height: number | undefined }>({
    is: atFirst,
    height: undefined,
  });
  useEffect(() => {
    const element = row.current;
    if (!element) return undefined;
    return edit.watch(element, (is, height) =>
      setNear((before) => {
        if (before.is === is || (!is && element.contains(document.activeElement))) return before;
        // Hidden elements have no height.
        return { is, height: is || height === 0 ? before.height : height };
      }),
    );
  }, [edit, row]);
  return near;
}
