import { useSyncExternalStore } from 'react';

/** What a screen reader is told next. */
export interface Announcement {
  readonly text: string;
  /** Another one with every saying, so that the same words are said again. */
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
