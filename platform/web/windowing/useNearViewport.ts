import { useEffect, useState, type RefObject } from 'react';

/** Renders ahead of fast scrolling. `rootMargin` is clipped by scrolling elements, so they need `scrollMargin`. */
const OBSERVER_MARGINS = { rootMargin: '600px 0px', scrollMargin: '600px 0px' } satisfies IntersectionObserverInit;

/**
 * Returns the width of the element once it is near the viewport or, with `atRest`, once the browser is idle; before
 * that undefined. The observer provides the width without forcing a layout.
 */
export function useWidthNearViewport(element: RefObject<Element | null>, atRest = false): number | undefined {
  const [width, setWidth] = useState<number>();
  const isNear = width !== undefined;
  useEffect(() => {
    if (isNear || !element.current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      const visible = entries.find((entry) => entry.isIntersecting);
      if (visible) setWidth(Math.floor(visible.boundingClientRect.width));
    }, OBSERVER_MARGINS);
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isNear]);
  useEffect(() => {
    // Safari has no idle callbacks, so the element is rendered when it is near the viewport.
    if (isNear || !atRest || !('requestIdleCallback' in globalThis)) return undefined;
    const callbackId = requestIdleCallback(() => setWidth(Math.floor(element.current?.clientWidth ?? 0) || undefined));
    return () => cancelIdleCallback(callbackId);
  }, [element, isNear, atRest]);
  return width;
}
