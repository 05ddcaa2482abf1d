import { useEffect, useState, type RefObject } from 'react';
import { queueRender } from './frameQueue.ts';

/** Distance from the viewport, in px. */
const MARGIN_PX = 700;

interface ObservedElement {
  readonly lanes: () => number;
  readonly onChange: (near: boolean) => void;
  cancel: () => void;
}

/** Notifies rows, one after another, when they come near the viewport of a scroller or leave it. */
export function createNearViewport(scroller: () => Element | null) {
  const rows = new Map<Element, ObservedElement>();
  let watcher: IntersectionObserver | undefined;

  const open = (): IntersectionObserver =>
    new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const row = rows.get(target);
          if (!row) continue;
          row.cancel();
          row.cancel = queueRender(() => row.onChange(isIntersecting), {
            urgency: isIntersecting ? 'coming' : 'gone',
            lanes: row.lanes(),
          });
        }
      },
      { root: scroller(), rootMargin: `${MARGIN_PX}px 0px` },
    );

  return {
    /** Observes a row. Returns a function that stops it. */
    watch: (row: Element, watched: Pick<ObservedElement, 'lanes' | 'onChange'>): (() => void) => {
      watcher ??= open();
      const own: ObservedElement = { ...watched, cancel: () => undefined };
      rows.set(row, own);
      watcher.observe(row);
      return () => {
        own.cancel();
        rows.delete(row);
        watcher?.unobserve(row);
        if (rows.size > 0) return;
        watcher?.disconnect();
        watcher = undefined;
      };
    },
  };
}

export type Near = ReturnType<typeof createNearViewport>;

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
