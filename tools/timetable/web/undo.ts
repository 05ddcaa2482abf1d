import { notices } from '#platform/web/app/notices.ts';
import { createUndo, type UndoableChange } from '#platform/web/app/undo.ts';

const lastChangeUndo = createUndo<UndoableChange>();

/** The undo of the timetable. */
export const undo = {
  ...lastChangeUndo,
  /** Registers an undo without a notice; Mod+Z runs it. Returns a function that withdraws it if saving fails. */
  register: (label: string, run: () => Promise<void>): (() => void) => {
    const change: UndoableChange = { label, run };
    lastChangeUndo.set(change);
    return () => lastChangeUndo.clear(change);
  },
  /** Registers an undo and shows a notice with an Undo button. */
  offer: (label: string, run: () => Promise<void>): void => {
    const change: UndoableChange = { label, run };
    lastChangeUndo.set(change);
    notices.addWithAction(label, 'Undo', () => {
      lastChangeUndo.clear(change);
      void run();
    });
  },
};
