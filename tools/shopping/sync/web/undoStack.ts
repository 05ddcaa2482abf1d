import type { Change } from '../../lists/domain/list.ts';
import { createStep, undone, type Step } from '../domain/inverse.ts';
import { createNewIds } from '../domain/writeBatch.ts';
import type { Clock, Sync } from './syncDriver.ts';

/** More steps than anyone undoes. */
const MAX_UNDO_STEPS = 100;

/** The user's last steps in one list, for as long as the page is open. */
export interface Undo {
  readonly change: (changes: readonly Change[]) => void;
  readonly can: () => boolean;
  readonly back: () => void;
}

export function createUndo(sync: Sync, clock: Clock): Undo {
  const newIds = createNewIds();
  let steps: readonly Step[] = [];
  /** New ids of restored things, by their old ids. */
  const restoredIds = new Map<string, string>();

  const resolveId = (id: string): string => {
    const ids = sync.getReplica()?.ids;
    const getNextId = (each: string): string | undefined => restoredIds.get(each) ?? ids?.get(each);
    let current = id;
    for (let next = getNextId(current); next !== undefined; next = getNextId(current)) current = next;
    return current;
  };

  return {
    change: (changes) => {
      const { list } = sync.getStatus();
      const step = list ? createStep(list, changes) : [];
      if (step.length > 0) steps = [...steps, step].slice(-MAX_UNDO_STEPS);
      sync.change(changes);
    },
    can: () => steps.length > 0,
    back: () => {
      const { list } = sync.getStatus();
      const step = steps.at(-1);
      if (!step || !list) return;
      steps = steps.slice(0, -1);
      const takenIds = {
        size: list.items.size + list.types.size,
        has: (id: string) => list.items.has(id) || list.types.has(id),
      };
      const undoStep = undone(step, list, { known: resolveId, newId: () => newIds(clock.now(), takenIds) });
      for (const [was, is] of undoStep.again) restoredIds.set(was, is);
      // Also if nothing is left to undo: subscribers must learn that there is one step less.
      sync.change(undoStep.changes);
    },
  };
}
