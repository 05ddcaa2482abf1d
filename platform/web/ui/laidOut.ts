import { useLayoutEffect, type RefObject } from 'react';

/** Before the browser draws, where it knows a way to say so. */
const inNextTask = (work: () => void): void => {
  if ('scheduler' in globalThis) void globalThis.scheduler.postTask(work, { priority: 'user-blocking' });
  else setTimeout(work);
};

/**
 * Has what was drawn laid out in a piece of work of its own, whenever `drawn` is another: behind the one that made it, and ahead of the next drawing
 * of the screen. In either of these much that is new would be one long piece.
 */
export const useLaidOut = (place: RefObject<Element | null>, drawn: unknown): void => {
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- what is drawn is not read, and is laid out
  useLayoutEffect(() => inNextTask(() => void place.current?.getBoundingClientRect()), [place, drawn]);
};
