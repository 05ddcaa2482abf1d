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
