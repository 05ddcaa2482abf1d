import { useSyncExternalStore } from 'react';

/** Functions to call when something changes. */
export interface Listeners<Args extends readonly unknown[] = []> {
  /** Returns a function that unsubscribes. */
  readonly subscribe: (listener: (...args: Args) => void) => () => void;
  readonly notify: (...args: Args) => void;
}

export function createListeners<Args extends readonly unknown[] = []>(): Listeners<Args> {
  const listeners = new Set<(...args: Args) => void>();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify: (...args) => {
      for (const listener of listeners) listener(...args);
    },
  };
}

/** A value outside React, which survives the components that show it. */
export interface Store<Value> {
  readonly get: () => Value;
  /** Sets the value and notifies the listeners, even if it is the same value. */
  readonly set: (next: Value) => void;
  readonly subscribe: Listeners['subscribe'];
}

export function createStore<Value>(initial: Value): Store<Value> {
  const { subscribe, notify } = createListeners();
  let current = initial;
  return {
    get: () => current,
    set: (next) => {
      current = next;
      notify();
    },
    subscribe,
  };
}

/** Returns the value of a store. The component renders again when it changes. */
export function useStore<Value>(store: Pick<Store<Value>, 'get' | 'subscribe'>): Value {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}
