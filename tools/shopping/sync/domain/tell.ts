import type { List } from '../../lists/domain/list.ts';
import type { LeafChange, Outcome } from './engine.ts';
import { REMOVED } from './limits.ts';
import { ITEM_NAMES, TYPE_NAMES, itemOnWire, typeOnWire, wireName, type Json, type WireChange } from './listWire.ts';

const leafOnWire = ([path, value]: LeafChange, list: List): WireChange => {
  const [kind = '', id = '', field] = path.split('/');
  if (kind === 'links') return [['links', id], [...(list.links.get(id) ?? [])]];
  if (kind === 'name' || field === undefined) return [path.split('/'), value === undefined ? REMOVED : value];
  return [[kind, id, wireName(kind === 'items' ? ITEM_NAMES : TYPE_NAMES, field)], value as Json];
};

/** A thing that came, whole. */
const wholeOf = ([path, value]: LeafChange, list: List): Json | undefined => {
  const [kind, id = '', more] = path.split('/');
  if (value !== true || more !== undefined) return undefined;
  const [item, type] = [list.items.get(id), list.types.get(id)];
  if (kind === 'items') return item && itemOnWire(item);
  return type && typeOnWire(type);
};

/** What goes with its thing needs no word of its own. */
const isNeeded = ([path, value]: LeafChange, list: List): boolean => {
  const [kind, id = '', more] = path.split('/');
  return kind === 'links' ? list.items.has(id) : value !== undefined || more === undefined;
};

/** Changes of the engine as `[path, value]`, against the list as it is afterwards: a thing that came is told whole, once. */
export const changesOnWire = (changes: readonly LeafChange[], list: List): readonly WireChange[] => {
  const whole = new Map<string, Json>();
  for (const change of changes) {
    const its = wholeOf(change, list);
    if (its !== undefined) whole.set(change[0], its);
  }
  const told = new Map<string, WireChange>();
  for (const change of changes.filter((each) => isNeeded(each, list))) {
    const [kind = '', id = ''] = change[0].split('/');
    const thing = whole.get(`${kind}/${id}`);
    const wire: WireChange = thing === undefined ? leafOnWire(change, list) : [[kind, id], thing];
    told.set(wire[0].join('/'), wire);
  }
  // Things before what links them.
  return [...told.values()].toSorted(([one], [other]) => Number(one[0] === 'links') - Number(other[0] === 'links'));
};

/**
 * What a plain client is answered, so that it ends right: each of its `new…` things goes and comes again under its own id, with its links;
 * and what stands in place of changes that came too late. `list` is the list afterwards.
 */
export const answerOnWire = (
  { ids, corrections }: Pick<Outcome, 'ids' | 'corrections'>,
  list: List,
): readonly WireChange[] => {
  const things = [...ids].flatMap(([sent, id]): readonly WireChange[] => {
    const [item, type] = [list.items.get(id), list.types.get(id)];
    if (item) return [goes('items', sent), [['items', id], itemOnWire(item)]];
    if (type) return [goes('types', sent), [['types', id], typeOnWire(type)]];
    return [goes('items', sent), goes('types', sent)];
  });
  const given = new Set(ids.values());
  const links = [...list.links].filter(
    ([item, types]) => given.has(item) || [...types].some((type) => given.has(type)),
  );
  return [
    ...things,
    ...changesOnWire(corrections, list),
    ...links.map(([item, types]): WireChange => [['links', item], [...types]]),
  ];
};
const goes = (kind: string, id: string): WireChange => [[kind, id], REMOVED];
