import { createStore, useStore } from '../store.ts';

/** A change that can be undone. */
export interface UndoableChange {
  /** What was done, such as 'Moved Run'. */
  readonly label: string;
  /** Reverses the change. */
  readonly run: () => Promise<void>;
}

/** The last change on a page, which survives the components that show it. */
interface Undo<Change extends UndoableChange> {
  readonly getLast: () => Change | undefined;
  readonly subscribe: (listener: () => void) => () => void;
  /** Makes this change the one that `run` undoes. */
  readonly set: (change: Change) => void;
  /** Removes a change that was undone, or can't be undone any more. Does nothing if a later one was made. */
  readonly clear: (change: Change) => void;
  /** Undoes the last change, once. */
  readonly run: () => Promise<void>;
}

/** Creates the undo of one page: only the last change can be undone. */
export function createUndo<Change extends UndoableChange>(): Undo<Change> {
  const lastChange = createStore<Change | undefined>(undefined);
  return {
    getLast: lastChange.get,
    subscribe: lastChange.subscribe,
    set: lastChange.set,
    clear: (change) => {
      if (lastChange.get() === change) lastChange.set(undefined);
    },
    run: async () => {
      const change = lastChange.get();
      lastChange.set(undefined);
      await change?.run();
    },
  };
}

/** Returns the last change, or undefined if there is none. The component renders again when it changes. */
export function useLastChange<Change extends UndoableChange>({
  getLast,
  subscribe,
}: Pick<Undo<Change>, 'getLast' | 'subscribe'>): Change | undefined {
  return useStore({ get: getLast, subscribe });
}
