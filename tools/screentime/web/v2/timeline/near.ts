import { inTurn } from './turns.ts';

/** In px beyond the window. */
const MARGIN_PX = 700;

/**
 * Tells rows that they come near to the window of a scroller, or leave it, one in each frame: many at once would be a long task in the
 * middle of a scroll.
 */
export const makeNear = (scroller: () => Element | null) => {
  const rows = new Map<Element, (near: boolean) => void>();
  const waiting = new Map<Element, boolean>();
  let watcher: IntersectionObserver | undefined;

  const next = (): void => {
    // What is coming is seen, what goes is not: it comes first.
    const [row, near] = [...waiting].find(([, is]) => is) ?? [...waiting][0] ?? [];
    if (!row) return;
    waiting.delete(row);
    rows.get(row)?.(near === true);
    if (waiting.size > 0) inTurn(next);
  };
  const open = (): IntersectionObserver =>
    new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) waiting.set(target, isIntersecting);
        inTurn(next);
      },
      { root: scroller(), rootMargin: `${MARGIN_PX}px 0px` },
    );

  return {
    /** Gives back how to stop. */
    watch: (row: Element, then: (near: boolean) => void): (() => void) => {
      watcher ??= open();
      rows.set(row, then);
      watcher.observe(row);
      return () => {
        rows.delete(row);
        waiting.delete(row);
        watcher?.unobserve(row);
        if (rows.size > 0) return;
        watcher?.disconnect();
        watcher = undefined;
      };
    },
  };
};

export type Near = ReturnType<typeof makeNear>;
