import { useSyncExternalStore } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { showError } from '#platform/web/app/failure.ts';
import { isTextFieldFocused } from '#platform/web/browser/typeAhead.ts';

/** The last change of an event on this page, and what takes it back. */
export interface Undoable {
  /** What was done, such as 'Saved'. */
  readonly what: string;
  /** The event that it stands at; undefined for one that is gone. */
  readonly event: number | undefined;
  readonly run: () => Promise<void>;
}

let last: Undoable | undefined;
const listeners = new Set<() => void>();
const change = (next: Undoable | undefined): void => {
  last = next;
  for (const tell of listeners) tell();
};
const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};

export const undo = {
  last: (): Undoable | undefined => last,
  put: change,
  /** Takes the last change back, once. */
  run: async (): Promise<void> => {
    const taken = last;
    change(undefined);
    await taken?.run();
  },
  /** This one is taken back, or cannot be any more. */
  forget: (one: Undoable): void => {
    if (last === one) change(undefined);
  },
};

export const useLastChange = (): Undoable | undefined => useSyncExternalStore(subscribe, undo.last);

/** Mod+Z takes the last change of an event back; in a field it is the field's own. */
export const useUndoKeys = (): void =>
  useCommands([
    {
      id: 'calendar.undo',
      name: 'Undo the last change',
      keys: 'Mod+Z',
      when: () => undo.last() !== undefined && !isTextFieldFocused(),
      run: () => void undo.run().catch(showError),
    },
  ]);
