import { useSyncExternalStore } from 'react';

/** The next announcement for screen readers. */
export interface Announcement {
  readonly text: string;
  /** Changes with every announcement, so that the same words are read again. */
  readonly number: number;
}

let said: Announcement = { text: '', number: 0 };
const listeners = new Set<() => void>();

export function say(text: string | undefined): void {
  if (text === undefined) return;
  said = { text, number: said.number + 1 };
  for (const tell of listeners) tell();
}

const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};

export function useSaid(): Announcement {
  return useSyncExternalStore(subscribe, () => said);
}
