import { useSyncExternalStore } from 'react';

const PREFIX = 'pegboard.';
const listeners = new Set<() => void>();
/** What a browser without storage (private window, blocked site data) is told lasts as long as the page. */
const kept = new Map<string, string>();

const storage = (): Storage | undefined => {
  try {
    return window.localStorage;
  } catch {
    return undefined; // The browser withholds it: `kept` stands in.
  }
};

/** Small choices of this browser: the wide rail, a dismissed box. */
export const remember = {
  get: (key: string): string | undefined => kept.get(key) ?? storage()?.getItem(PREFIX + key) ?? undefined,
  set: (key: string, value: string): void => {
    kept.set(key, value);
    try {
      storage()?.setItem(PREFIX + key, value);
    } catch {
      // Full or refused: `kept` has it for this visit.
    }
    for (const tell of listeners) tell();
  },
};

const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};

/** The remembered value and how to set it. */
export const useRemembered = (key: string): readonly [string | undefined, (value: string) => void] => [
  useSyncExternalStore(subscribe, () => remember.get(key)),
  (value) => remember.set(key, value),
];
