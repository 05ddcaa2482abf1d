import { useSyncExternalStore } from 'react';

/** The next announcement for screen readers. */
export interface Announcement {
  readonly text: string;
  /** Changes with every announcement, so that the same words are read again. */
  readonly number: number;
}

let current: Announcement = { text: '', number: 0 };
const listeners = new Set<() => void>();

/** Announces a text to screen readers; undefined announces nothing. */
export function say(text: string | undefined): void {
  if (text === undefined) return;
  current = { text, number: current.number + 1 };
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useSaid(): Announcement {
  return useSyncExternalStore(subscribe, () => current);
}
