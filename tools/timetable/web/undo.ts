import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { notices } from '#platform/web/app/notices.ts';
import { createStore, useStore } from '#platform/web/store.ts';

/**
 * Shows a failed save in the browser's alert (docs/specification/timetable.md section 5).
 * The platform handles ended sessions.
 */
export function alertFailure(error: unknown): void {
  if (error instanceof InvalidTokenRefusal) return;
  // oxlint-disable-next-line no-alert -- docs/specification/timetable.md section 5
  window.alert(`Error: ${error instanceof Error ? error.message : String(error)}`);
}

/** The last change of the timetable on this page, and how to undo it. */
interface UndoableChange {
  /** What was done, such as 'Moved Run'. */
  readonly what: string;
  readonly run: () => Promise<void>;
}

const lastChange = createStore<UndoableChange | undefined>(undefined);

export const undo = {
  last: lastChange.get,
  /** Undoes the last change, once. */
  run: async (): Promise<void> => {
    const undoable = lastChange.get();
    lastChange.set(undefined);
    await undoable?.run();
  },
  /** Registers an undo without a notice; Mod+Z runs it. Returns a function that withdraws it if saving fails. */
  put: (what: string, run: () => Promise<void>): (() => void) => {
    const one: UndoableChange = { what, run };
    lastChange.set(one);
    return () => {
      if (lastChange.get() === one) lastChange.set(undefined);
    };
  },
  /** Registers an undo and shows a notice with an Undo button. */
  offer: (what: string, run: () => Promise<void>): void => {
    const one: UndoableChange = { what, run };
    lastChange.set(one);
    notices.addWithAction(what, 'Undo', () => {
      if (lastChange.get() === one) lastChange.set(undefined);
      void run();
    });
  },
};

export function useLastChange(): UndoableChange | undefined {
  return useStore(lastChange);
}
