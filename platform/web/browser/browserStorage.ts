import { useSyncExternalStore } from 'react';

const PREFIX = 'pegboard.';
const listeners = new Set<() => void>();
/** What a browser without storage (private window, blocked site data) is told lasts as long as the page. */
const memoryValues = new Map<string, string>();
/** Keys whose last value could not be stored. */
const unstoredKeys = new Set<string>();

const storage = (): Storage | undefined => {
  try {
    return window.localStorage;
  } catch {
    return undefined; // The browser withholds it: `kept` stands in.
  }
};

/** Small choices of this browser: the wide rail, a dismissed box. */
export const browserStorage = {
  get: (key: string): string | undefined => memoryValues.get(key) ?? storage()?.getItem(PREFIX + key) ?? undefined,
  /** As this browser stores it now, which another tab may have changed. */
  getStored: (key: string): string | undefined => storage()?.getItem(PREFIX + key) ?? undefined,
  /** As this browser stores it now; the value of this page where that could not be stored. */
  getLatest: (key: string): string | undefined =>
    unstoredKeys.has(key) ? memoryValues.get(key) : browserStorage.getStored(key),
  /** Tells each value that another tab stores under a key, and what that tab found there before. */
  onChangeInOtherTab: (then: (key: string, value: string, before: string | undefined) => void): void =>
    window.addEventListener('storage', ({ key, newValue, oldValue }) => {
      if (key?.startsWith(PREFIX) === true && newValue !== null)
        then(key.slice(PREFIX.length), newValue, oldValue ?? undefined);
    }),
  /** What another tab chooses holds in this one too, at once; otherwise a tab goes on with its own choice. */
  followOtherTabs: (key: string): void =>
    browserStorage.onChangeInOtherTab((changed) => {
      if (changed !== key) return;
      memoryValues.delete(key);
      for (const tell of listeners) tell();
    }),
  set: (key: string, value: string): void => {
    memoryValues.set(key, value);
    unstoredKeys.add(key);
    try {
      const store = storage();
      store?.setItem(PREFIX + key, value);
      if (store) unstoredKeys.delete(key);
    } catch {
      // Full or refused: `kept` has it for this visit.
    }
    for (const tell of listeners) tell();
  },
  /** Every key that begins so and has something. */
  listKeys: (beginning: string): readonly string[] => {
    const stored = Object.keys(storage() ?? {}).flatMap((key) =>
      key.startsWith(PREFIX) ? key.slice(PREFIX.length) : [],
    );
    return [...new Set([...memoryValues.keys(), ...stored])].filter((key) => key.startsWith(beginning));
  },
  /** Removes what stands under every key that begins so. */
  removeByPrefix: (beginning: string): void => {
    for (const key of browserStorage.listKeys(beginning)) {
      memoryValues.delete(key);
      unstoredKeys.delete(key);
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
export function useBrowserStorage(key: string): readonly [string | undefined, (value: string) => void] {
  const read = (): string | undefined => browserStorage.get(key);
  return [useSyncExternalStore(subscribe, read, read), (value) => browserStorage.set(key, value)];
}
