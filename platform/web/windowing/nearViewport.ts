import { useEffect, useState, type RefObject } from 'react';
import { queueRender } from './frameQueue.ts';

/** Distance of queued rows from the viewport, in px. */
const MARGIN_PX = 700;

const isScrollable = (element: Element): boolean => /auto|scroll/.test(getComputedStyle(element).overflowY);

/** Returns the scrolling ancestor of an element; null means the window. */
export function findScroller(element: Element): Element | null {
  let ancestor = element.parentElement;
  while (ancestor && !isScrollable(ancestor)) ancestor = ancestor.parentElement;
  return ancestor;
}

/**
 * Creates a function that observes which elements are within `marginPx` of the viewport of a scroller, with one
 * IntersectionObserver for all of them.
 * @param getScroller called with the first element
 */
export function createNearObserver(getScroller: (element: Element) => Element | null, marginPx: number) {
  const callbackByElement = new Map<Element, (isNear: boolean, height: number) => void>();
  let observer: IntersectionObserver | undefined;
  function handleIntersect(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting, boundingClientRect } of entries)
      callbackByElement.get(target)?.(isIntersecting, boundingClientRect.height);
  }
  /** Calls `onChange` with the height of the element. Returns a function that stops it. */
  return (element: Element, onChange: (isNear: boolean, height: number) => void): (() => void) => {
    observer ??= new IntersectionObserver(handleIntersect, {
      root: getScroller(element),
      rootMargin: `${marginPx}px 0px`,
    });
    callbackByElement.set(element, onChange);
    observer.observe(element);
    return () => {
      callbackByElement.delete(element);
      observer?.unobserve(element);
      if (callbackByElement.size > 0) return;
      observer?.disconnect();
      observer = undefined;
    };
  };
}

interface ObservedRow {
  /** Cost of rendering the row, in lanes of the timeline. */
  readonly getCost: () => number;
  readonly onChange: (isNear: boolean) => void;
}

/**
 * Creates an observer that notifies rows, one after another, when they come near the viewport of a scroller or leave
 * it.
 */
export function createNearViewport(getScroller: () => Element | null) {
  const observe = createNearObserver(getScroller, MARGIN_PX);
  return {
    /** Observes a row. Returns a function that stops it. */
    watch: (row: Element, { getCost, onChange }: ObservedRow): (() => void) => {
      let cancel: (() => void) | undefined;
      const stop = observe(row, (isNear) => {
        cancel?.();
        cancel = queueRender(() => onChange(isNear), { urgency: isNear ? 'near' : 'offscreen', cost: getCost() });
      });
      return () => {
        cancel?.();
        stop();
      };
    },
  };
}

export type NearViewport = ReturnType<typeof createNearViewport>;

/** Renders ahead of fast scrolling. `rootMargin` is clipped by scrolling elements, so they need `scrollMargin`. */
const OBSERVER_MARGINS = { rootMargin: '600px 0px', scrollMargin: '600px 0px' } satisfies IntersectionObserverInit;

/**
 * Returns the width of the element once it is near the viewport or, with `rendersWhenIdle`, once the browser is idle;
 * undefined before. The observer provides the width without forcing a layout.
 */
export function useWidthNearViewport(element: RefObject<Element | null>, rendersWhenIdle = false): number | undefined {
  const [width, setWidth] = useState<number>();
  const isNear = width !== undefined;
  useEffect(() => {
    if (isNear || !element.current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      const nearEntry = entries.find((entry) => entry.isIntersecting);
      if (nearEntry) setWidth(Math.floor(nearEntry.boundingClientRect.width));
    }, OBSERVER_MARGINS);
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isNear]);
  useEffect(() => {
    // Safari has no idle callbacks, so the element is rendered when it is near the viewport.
    if (isNear || !rendersWhenIdle || !('requestIdleCallback' in globalThis)) return undefined;
    const callbackId = requestIdleCallback(() => setWidth(Math.floor(element.current?.clientWidth ?? 0) || undefined));
    return () => cancelIdleCallback(callbackId);
  }, [element, isNear, rendersWhenIdle]);
  return width;
}
