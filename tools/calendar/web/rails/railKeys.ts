import type { KeyboardEvent } from 'react';

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** Arrows, Home and End move the focus among the entries of a rail. */
export const onRailKeys = (event: KeyboardEvent<HTMLElement>): void => {
  const step = STEPS[event.key];
  const { target, currentTarget } = event;
  if (!step || !(target instanceof HTMLElement) || !('entry' in target.dataset)) return;
  const entries = [...currentTarget.querySelectorAll<HTMLElement>('[data-entry]')];
  const next = entries[step(entries.indexOf(target), entries.length)];
  if (!next) return;
  event.preventDefault();
  next.focus();
};
