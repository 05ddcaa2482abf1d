import { useSyncExternalStore } from 'react';

const PREFIX = 'pegboard.';
const listeners = new Set<() => void>();
/** What a browser without storage (private window, blocked site data) is told lasts as long as the page. */
const kept = new Map<string, string>();
/** Keys whose last value could not be stored. */
const refused = new Set<string>();

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
  /** As this browser stores it now, which another tab may have changed. */
  stored: (key: string): string | undefined => storage()?.getItem(PREFIX + key) ?? undefined,
  /** As this browser stores it now; the value of this page where that could not be stored. */
  latest: (key: string): string | undefined => (refused.has(key) ? kept.get(key) : remember.stored(key)),
  /** Tells each value that another tab stores under a key, and what that tab found there before. */
  onOtherTab: (then: (key: string, value: string, before: string | undefined) => void): void =>
    window.addEventListener('storage', ({ key, newValue, oldValue }) => {
      if (key?.startsWith(PREFIX) === true && newValue !== null)
        then(key.slice(PREFIX.length), newValue, oldValue ?? undefined);
    }),
  /** What another tab chooses holds in this one too, at once; otherwise a tab goes on with its own choice. */
  followOtherTabs: (key: string): void =>
    remember.onOtherTab((changed) => {
      if (changed !== key) return;
      kept.delete(key);
      for (const tell of listeners) tell();
    }),
  set: (key: string, value: string): void => {
    kept.set(key, value);
    refused.add(key);
    try {
      const store = storage();
      store?.setItem(PREFIX + key, value);
      if (store) refused.delete(key);
    } catch {
      // Full or refused: `kept` has it for this visit.
    }
    for (const tell of listeners) tell();
  },
  /** Every key that begins so and has something. */
  keys: (beginning: string): readonly string[] => {
    const stored = Object.keys(storage() ?? {}).flatMap((key) =>
      key.startsWith(PREFIX) ? key.slice(PREFIX.length) : [],
    );
    return [...new Set([...kept.keys(), ...stored])].filter((key) => key.startsWith(beginning));
  },
  /** Removes what stands under every key that begins so. */
  forget: (beginning: string): void => {
    for (const key of remember.keys(beginning)) {
      kept.delete(key);
      refused.delete(key);
      storage()?.removeItem(PREFIX + key);
    }
    for (const tell of listeners) tell();
  },
};

const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};

/** The remembered value and how to set it. */
export const useRemembered = (key: string): readonly [string | undefined, (value: string) => void] => {
  const read = (): string | undefined => remember.get(key);
  return [useSyncExternalStore(subscribe, read, read), (value) => remember.set(key, value)];
};
