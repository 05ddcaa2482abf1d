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
  readonly label: string;
  readonly run: () => Promise<void>;
}

const lastChange = createStore<UndoableChange | undefined>(undefined);

export const undo = {
  getLast: lastChange.get,
  /** Undoes the last change, once. */
  run: async (): Promise<void> => {
    const undoable = lastChange.get();
    lastChange.set(undefined);
    await undoable?.run();
  },
  /** Registers an undo without a notice; Mod+Z runs it. Returns a function that withdraws it if saving fails. */
  register: (label: string, run: () => Promise<void>): (() => void) => {
    const change: UndoableChange = { label, run };
    lastChange.set(change);
    return () => {
      if (lastChange.get() === change) lastChange.set(undefined);
    };
  },
  /** Registers an undo and shows a notice with an Undo button. */
  offer: (label: string, run: () => Promise<void>): void => {
    const change: UndoableChange = { label, run };
    lastChange.set(change);
    notices.addWithAction(label, 'Undo', () => {
      if (lastChange.get() === change) lastChange.set(undefined);
      void run();
    });
  },
};

export function useLastChange(): UndoableChange | undefined {
  return useStore(lastChange);
}
