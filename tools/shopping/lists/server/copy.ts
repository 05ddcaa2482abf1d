import type { Leaf, ListState } from '../../sync/domain/engine.ts';
import { STATES } from '../domain/list.ts';

/** Fields that say what has been bought: a copy begins without. */
const fresh = (path: string, { value }: Leaf): Leaf['value'] => {
  if (path.endsWith('/actual')) return 0;
  // A checkbox stays one, and is open.
  return path.endsWith('/state') && value !== STATES.counted ? STATES.question : value;
};

/** A list with the same items, types and links and another name, as if it were made now; what was removed is left behind. */
export const copyOf = (state: ListState, name: string): ListState => {
  const isThere = (kind: string, id: string): boolean => state.leaves.get(`${kind}/${id}`)?.value === true;
  const stays = (path: string): boolean => {
    const [kind = '', one = '', other = ''] = path.split('/');
    if (kind === 'name') return true;
    return kind === 'links' ? isThere('items', one) && isThere('types', other) : isThere(kind, one);
  };
  const leaves = [...state.leaves]
    .filter(([path]) => stays(path))
    .map(([path, leaf]): [string, Leaf] => [
      path,
      { value: path === 'name' ? name : fresh(path, leaf), revision: 1, time: 0, client: '' },
    ]);
  return { revision: 1, nextId: state.nextId, ids: new Map(), leaves: new Map(leaves) };
};
