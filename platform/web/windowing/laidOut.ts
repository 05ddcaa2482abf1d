import { useLayoutEffect, type RefObject } from 'react';

/** Before the browser draws, where it knows a way to say so. */
const runInNextTask = (work: () => void): void => {
  if ('scheduler' in globalThis) void globalThis.scheduler.postTask(work, { priority: 'user-blocking' });
  else setTimeout(work);
};

/**
 * Has what was drawn laid out in a piece of work of its own, whenever `drawn` is another: left to the next drawing of the screen, much that is new is
 * laid out, painted and handed on in one long piece.
 */
export const useLayoutFlush = (place: RefObject<Element | null>, drawn: unknown): void => {
  useLayoutEffect(() => {
    runInNextTask(() => void place.current?.getBoundingClientRect());
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- what is drawn is not read, and is laid out
  }, [place, drawn]);
};
