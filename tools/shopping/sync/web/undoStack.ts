import type { Change } from '../../lists/domain/list.ts';
import { stepOf, undone, type Step } from '../domain/inverse.ts';
import { createNewIds } from '../domain/writeBatch.ts';
import type { Clock, Sync } from './syncEngine.ts';

/** More than anybody takes back. */
const MAX_UNDO_STEPS = 100;

/** Own last steps in one list, as long as the page is open. */
export interface Undo {
  readonly change: (changes: readonly Change[]) => void;
  readonly can: () => boolean;
  readonly back: () => void;
}

export function createUndo(sync: Sync, clock: Clock): Undo {
  const newIds = createNewIds();
  let steps: readonly Step[] = [];
  /** Ids of removed things that came back under others. */
  const again = new Map<string, string>();

  const known = (id: string): string => {
    const ids = sync.replica()?.ids;
    const nextOf = (each: string): string | undefined => again.get(each) ?? ids?.get(each);
    let its = id;
    for (let next = nextOf(its); next !== undefined; next = nextOf(its)) its = next;
    return its;
  };

  return {
    change: (changes) => {
      const { list } = sync.standing();
      const step = list ? stepOf(list, changes) : [];
      if (step.length > 0) steps = [...steps, step].slice(-MAX_UNDO_STEPS);
      sync.change(changes);
    },
    can: () => steps.length > 0,
    back: () => {
      const { list } = sync.standing();
      const step = steps.at(-1);
      if (!step || !list) return;
      steps = steps.slice(0, -1);
      const taken = {
        size: list.items.size + list.types.size,
        has: (id: string) => list.items.has(id) || list.types.has(id),
      };
      const undoing = undone(step, list, { known, newId: () => newIds(clock.now(), taken) });
      for (const [was, is] of undoing.again) again.set(was, is);
      // Also where nothing is left to take back: a step less to be shown.
      sync.change(undoing.changes);
    },
  };
}
