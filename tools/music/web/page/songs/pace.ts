import { useEffect, useState } from 'react';

/** How long a list has stood, or moved by little, before what was hurried past is shown whole. */
const CALM_MS = 100;
/** Pictures that are asked for from one drawing of the screen to the next: each takes a part of it. */
const AT_ONCE = 2;

/** Rows that wait for the list to be calm. */
const waiting = new Set<() => void>();
/** Runs while it is hurried. */
let calming: ReturnType<typeof setTimeout> | undefined;

const showNext = (): void => {
  if (calming !== undefined) return;
  for (const show of [...waiting].slice(0, AT_ONCE)) {
    waiting.delete(show);
    show();
  }
  if (waiting.size > 0) requestAnimationFrame(showNext);
};

/** The list was scrolled by so many px since the last drawing of the screen. More than a row, and nobody sees a song's picture. */
export const scrolledBy = (px: number, row: number): void => {
  if (Math.abs(px) <= row) return;
  clearTimeout(calming);
  calming = setTimeout(() => {
    calming = undefined;
    showNext();
  }, CALM_MS);
};

/** Whether the list has been calm while this row was in it. */
export const useCalm = (): boolean => {
  const [calm, setCalm] = useState(() => calming === undefined);
  useEffect(() => {
    if (calm) return undefined;
    const show = (): void => setCalm(true);
    waiting.add(show);
    // A busy browser comes to this when the list has been calm for long.
    if (calming === undefined) requestAnimationFrame(showNext);
    return () => void waiting.delete(show);
  }, [calm]);
  return calm;
};
