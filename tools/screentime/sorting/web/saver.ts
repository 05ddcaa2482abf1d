import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { edited, type Box, type SortingEdit } from '../domain/categoryBoard.ts';

/** The save status texts (specification 2, section 4). */
export type SaveStatus = '' | 'Saving...' | 'Saved' | 'Failed to save - rejected' | 'Failed to save - Server error';

export interface SaverState {
  /** Done here, and not on the server yet. */
  readonly edits: readonly SortingEdit[];
  readonly status: SaveStatus;
}

export interface SaverDeps {
  /** What stands on the server. */
  readonly ask: () => Promise<readonly Box[]>;
  readonly send: (before: readonly Box[], after: readonly Box[]) => Promise<void>;
  /** What stands there since it was sent. */
  readonly saved: (boxes: readonly Box[]) => void;
  readonly refused: (why: Refusal, edits: readonly SortingEdit[]) => void;
}

/**
 * Saves edits one batch after the other. Each is done to what stands on the server just before it is sent: what another page has
 * changed stays. Edits that the server refuses are given up; those that did not arrive, or came after the session had ended, are kept for
 * the next try.
 */
export function createSaver({ ask, send, saved, refused }: SaverDeps) {
  let state: SaverState = { edits: [], status: '' };
  let running: Promise<void> | undefined;
  const listeners = new Set<() => void>();
  const change = (next: Partial<SaverState>): void => {
    state = { ...state, ...next };
    for (const tell of listeners) tell();
  };

  const saveBatch = async (): Promise<boolean> => {
    const { edits } = state;
    change({ status: 'Saving...' });
    try {
      const before = await ask();
      const after = edits.reduce(edited, before);
      await send(before, after);
      saved(after);
      change({ edits: state.edits.slice(edits.length), status: 'Saved' });
      return true;
    } catch (error) {
      if (!(error instanceof Refusal) || error instanceof InvalidTokenRefusal) {
        change({ status: 'Failed to save - Server error' });
        return false;
      }
      change({ edits: state.edits.slice(edits.length), status: 'Failed to save - rejected' });
      refused(error, edits);
      return true;
    }
  };
  const saveAll = async (): Promise<void> => {
    do {
      if (!(await saveBatch())) break;
    } while (state.edits.length > 0);
    running = undefined;
  };
  const save = (): void => {
    running ??= saveAll();
  };

  return {
    current: (): SaverState => state,
    subscribe: (tell: () => void): (() => void) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    /** Saves what is not saved yet; without that, once more what stands there. */
    save,
    edit: (edit: SortingEdit): void => {
      change({ edits: [...state.edits, edit] });
      save();
    },
    /** What cannot be sent at all is told as what the server refuses. */
    reject: (): void => change({ status: 'Failed to save - rejected' }),
  };
}
export type Saver = ReturnType<typeof createSaver>;
