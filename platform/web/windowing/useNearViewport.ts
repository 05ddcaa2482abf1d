import { useEffect, useState, type RefObject } from 'react';

/** Drawn before it is seen by somebody who scrolls fast. The margin of the window ends at whatever scrolls within it, which has its own. */
const OBSERVER_MARGINS = { rootMargin: '600px 0px', scrollMargin: '600px 0px' } satisfies IntersectionObserverInit;

/**
 * The width of the element once it has come near what is seen, or, with `atRest`, once the browser has nothing else to do; undefined before.
 * The observer has it at hand: to ask for it would lay the page out.
 */
export function useWidthNearViewport(element: RefObject<Element | null>, atRest = false): number | undefined {
  const [width, setWidth] = useState<number>();
  const isNear = width !== undefined;
  useEffect(() => {
    if (isNear || !element.current) return undefined;
    const watch = new IntersectionObserver((entries) => {
      const near = entries.find((entry) => entry.isIntersecting);
      if (near) setWidth(Math.floor(near.boundingClientRect.width));
    }, OBSERVER_MARGINS);
    watch.observe(element.current);
    return () => watch.disconnect();
  }, [element, isNear]);
  useEffect(() => {
    // Safari has no such thing: there it is drawn when it comes near.
    if (isNear || !atRest || !('requestIdleCallback' in globalThis)) return undefined;
    const rest = requestIdleCallback(() => setWidth(Math.floor(element.current?.clientWidth ?? 0) || undefined));
    return () => cancelIdleCallback(rest);
  }, [element, isNear, atRest]);
  return width;
}
