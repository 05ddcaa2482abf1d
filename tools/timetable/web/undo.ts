import { useSyncExternalStore } from 'react';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { notices } from '#platform/web/app/notices.ts';

/** What a failed save is told with: the browser's own alert (specification 2, section 8). A token that has ended is told by the platform. */
export function alertFailure(error: unknown): void {
  if (error instanceof InvalidTokenRefusal) return;
  // oxlint-disable-next-line no-alert -- as specified
  window.alert(`Error: ${error instanceof Error ? error.message : String(error)}`);
}

/** The last change of the timetable on this page, and what takes it back. */
interface Undoable {
  /** What was done, such as 'Moved Run'. */
  readonly what: string;
  readonly run: () => Promise<void>;
}

let last: Undoable | undefined;
const listeners = new Set<() => void>();
const change = (next: Undoable | undefined): void => {
  last = next;
  for (const tell of listeners) tell();
};

export const undo = {
  last: (): Undoable | undefined => last,
  /** Takes the last change back, once. */
  run: async (): Promise<void> => {
    const taken = last;
    change(undefined);
    await taken?.run();
  },
  /** Nothing is said: Mod+Z takes it back. Gives what withdraws the offer, where the change was not saved. */
  put: (what: string, run: () => Promise<void>): (() => void) => {
    const one: Undoable = { what, run };
    change(one);
    return () => {
      if (last === one) change(undefined);
    };
  },
  /** Said in a notice that has the way back too. */
  offer: (what: string, run: () => Promise<void>): void => {
    const one: Undoable = { what, run };
    change(one);
    notices.addWithAction(what, 'Undo', () => {
      if (last === one) change(undefined);
      void run();
    });
  },
};

export function useLastChange(): Undoable | undefined {
  return useSyncExternalStore((tell) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  }, undo.last);
}
