import { createListeners, useStore } from '../store.ts';

const PREFIX = 'pegboard.';
const listeners = createListeners();
/** Values of this page. They replace storage in browsers that block it (private windows, blocked site data). */
const memoryValues = new Map<string, string>();
/** Keys whose last value could not be stored. */
const unstoredKeys = new Set<string>();

function getStorage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined; // The browser blocks it, so `memoryValues` is used.
  }
}

/** Small settings of this browser, such as the wide rail or a dismissed box. */
export const browserStorage = {
  get: (key: string): string | undefined => memoryValues.get(key) ?? getStorage()?.getItem(PREFIX + key) ?? undefined,
  /** Returns the stored value, which another tab may have changed. */
  getStored: (key: string): string | undefined => getStorage()?.getItem(PREFIX + key) ?? undefined,
  /** Returns the stored value, or the value of this page if it could not be stored. */
  getLatest: (key: string): string | undefined =>
    unstoredKeys.has(key) ? memoryValues.get(key) : browserStorage.getStored(key),
  /** Calls the listener with each value that another tab stores, and with the value before. */
  onChangeInOtherTab: (listener: (key: string, value: string, previousValue: string | undefined) => void): void =>
    window.addEventListener('storage', ({ key, newValue, oldValue }) => {
      if (key?.startsWith(PREFIX) === true && newValue !== null)
        listener(key.slice(PREFIX.length), newValue, oldValue ?? undefined);
    }),
  /** Applies changes of other tabs immediately. Without it, each tab keeps its own value. */
  followOtherTabs: (key: string): void =>
    browserStorage.onChangeInOtherTab((changed) => {
      if (changed !== key) return;
      memoryValues.delete(key);
      listeners.notify();
    }),
  set: (key: string, value: string): void => {
    memoryValues.set(key, value);
    unstoredKeys.add(key);
    try {
      const storage = getStorage();
      storage?.setItem(PREFIX + key, value);
      if (storage) unstoredKeys.delete(key);
    } catch {
      // Storage is full or blocked; `memoryValues` has it for this visit.
    }
    listeners.notify();
  },
  /** Returns all keys with a value that start with a prefix. */
  listKeys: (prefix: string): readonly string[] => {
    const stored = Object.keys(getStorage() ?? {}).flatMap((key) =>
      key.startsWith(PREFIX) ? key.slice(PREFIX.length) : [],
    );
    return [...new Set([...memoryValues.keys(), ...stored])].filter((key) => key.startsWith(prefix));
  },
  /** Removes the values of all keys that start with a prefix. */
  removeByPrefix: (prefix: string): void => {
    for (const key of browserStorage.listKeys(prefix)) {
      memoryValues.delete(key);
      unstoredKeys.delete(key);
      getStorage()?.removeItem(PREFIX + key);
    }
    listeners.notify();
  },
};

/** Returns a stored value and a function that sets it. */
export function useBrowserStorage(key: string): readonly [string | undefined, (value: string) => void] {
  const value = useStore({ get: () => browserStorage.get(key), subscribe: listeners.subscribe });
  return [value, (next) => browserStorage.set(key, next)];
}
