import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { createStore } from '#platform/web/store.ts';
import { applyEdit, type Box, type SortingEdit } from '../domain/categoryBoard.ts';

/** Texts of the save status (docs/specification/screentime.md section 4.5). */
export type SaveStatus = '' | 'Saving...' | 'Saved' | 'Failed to save - rejected' | 'Failed to save - Server error';

export interface SaverState {
  /** Local edits that are not saved yet. */
  readonly edits: readonly SortingEdit[];
  readonly status: SaveStatus;
}

export interface SaverDeps {
  /** Loads the state of the server. */
  readonly load: () => Promise<readonly Box[]>;
  readonly send: (before: readonly Box[], after: readonly Box[]) => Promise<void>;
  /** Called with the state that was saved. */
  readonly onSaved: (boxes: readonly Box[]) => void;
  readonly onRefused: (refusal: Refusal, edits: readonly SortingEdit[]) => void;
}

/**
 * Saves edits in batches, each applied to the latest state of the server, so that changes of other pages stay. Refused
 * edits are dropped; edits that failed to arrive, or came after the session ended, are retried.
 */
export function createSaver({ load, send, onSaved, onRefused }: SaverDeps) {
  const state = createStore<SaverState>({ edits: [], status: '' });
  let running: Promise<void> | undefined;
  function updateState(next: Partial<SaverState>): void {
    state.set({ ...state.get(), ...next });
  }

  async function saveBatch(): Promise<boolean> {
    const { edits } = state.get();
    updateState({ status: 'Saving...' });
    try {
      const before = await load();
      const after = edits.reduce(applyEdit, before);
      await send(before, after);
      onSaved(after);
      updateState({ edits: state.get().edits.slice(edits.length), status: 'Saved' });
      return true;
    } catch (error) {
      if (!(error instanceof Refusal) || error instanceof InvalidTokenRefusal) {
        updateState({ status: 'Failed to save - Server error' });
        return false;
      }
      updateState({ edits: state.get().edits.slice(edits.length), status: 'Failed to save - rejected' });
      onRefused(error, edits);
      return true;
    }
  }
  async function saveAll(): Promise<void> {
    do {
      if (!(await saveBatch())) break;
    } while (state.get().edits.length > 0);
    running = undefined;
  }
  function save(): void {
    running ??= saveAll();
  }

  return {
    getState: state.get,
    subscribe: state.subscribe,
    /** Saves pending edits, or the current state again if there are none. */
    save,
    edit: (edit: SortingEdit): void => {
      updateState({ edits: [...state.get().edits, edit] });
      save();
    },
    /** Input that can't be sent is reported like a refusal. */
    reject: (): void => updateState({ status: 'Failed to save - rejected' }),
  };
}
export type Saver = ReturnType<typeof createSaver>;
