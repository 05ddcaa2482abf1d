import { useEffect, useState } from 'react';

/** How long a list has stood, or moved by little, before what was hurried past is shown whole. */
const CALM_MS = 100;
/** Pictures that are asked for from one drawing of the screen to the next: each takes a part of it. */
const PICTURES_PER_FRAME = 2;

/** Rows that wait for the list to be calm. */
const waiting = new Set<() => void>();
/** Runs while it is hurried. */
let calming: ReturnType<typeof setTimeout> | undefined;
/** The next drawing of the screen, where some are to be shown with it. */
let next: number | undefined;

const showNext = (): void => {
  next = undefined;
  if (calming !== undefined) return;
  for (const show of [...waiting].slice(0, PICTURES_PER_FRAME)) {
    waiting.delete(show);
    show();
  }
  goOn();
};

const goOn = (): void => {
  if (waiting.size > 0 && calming === undefined) next ??= requestAnimationFrame(showNext);
};

/** The list was scrolled by so many px since the last drawing of the screen. More than a row, and nobody sees a song's picture. */
export function scrolledBy(px: number, row: number): void {
  if (Math.abs(px) <= row) return;
  clearTimeout(calming);
  calming = setTimeout(() => {
    calming = undefined;
    goOn();
  }, CALM_MS);
}

/** Shows a row whole when it is its turn: a few from one drawing of the screen to the next, while the list is calm. @returns what calls it off */
export function whenCalm(show: () => void): () => void {
  waiting.add(show);
  goOn();
  return () => void waiting.delete(show);
}

/** Whether it has been this row's turn. */
export function useCalm(): boolean {
  const [calm, setCalm] = useState(false);
  useEffect(() => (calm ? undefined : whenCalm(() => setCalm(true))), [calm]);
  return calm;
}
