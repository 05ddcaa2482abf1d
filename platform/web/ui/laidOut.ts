import { useLayoutEffect, type RefObject } from 'react';

/**
 * Has what was drawn laid out where it was drawn, whenever `drawn` is another. Left to the next drawing of the screen, much that is new is laid
 * out, painted and handed on in one long piece of work.
 */
export const useLaidOut = (place: RefObject<Element | null>, drawn: unknown): void => {
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- what is drawn is not read, and is laid out
  useLayoutEffect(() => void place.current?.getBoundingClientRect(), [place, drawn]);
};
