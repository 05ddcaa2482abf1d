import { useLayoutEffect, type RefObject } from 'react';

/** Before the browser draws, where it knows a way to say so. */
const inNextTask = (work: () => void): void => {
  if ('scheduler' in globalThis) void globalThis.scheduler.postTask(work, { priority: 'user-blocking' });
  else setTimeout(work);
};

/**
 * Has what was drawn laid out before the next drawing of the screen, whenever `drawn` is another: left to that, much that is new is laid out,
 * painted and handed on in one long piece of work. `at once` is a part of the piece that made it, for what is long to paint: nothing of it may be left
 * to the drawing. `next` is a piece of its own, for what is made often and painted soon; a drawing may still come between.
 */
export const useLaidOut = (place: RefObject<Element | null>, drawn: unknown, when: 'at once' | 'next'): void => {
  useLayoutEffect(() => {
    const layOut = (): void => void place.current?.getBoundingClientRect();
    if (when === 'next') inNextTask(layOut);
    else layOut();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- what is drawn is not read, and is laid out
  }, [place, drawn, when]);
};
