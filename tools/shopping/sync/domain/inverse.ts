import {
  ITEM_FIELDS,
  NEW_ITEM,
  NEW_TYPE,
  TYPE_FIELDS,
  type Change,
  type Item,
  type ItemField,
  type List,
  type Type,
  type TypeField,
} from '../../lists/domain/list.ts';
import { applyChanges } from './listReducer.ts';

type Value = string | number | boolean | readonly [string, string];
type ThingKind = 'item' | 'type';

/** One part of an undo step: what was applyChanges, with the values before and after. */
export type Done =
  | { readonly kind: 'name'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'field';
      readonly thing: ThingKind;
      readonly id: string;
      readonly field: ItemField | TypeField;
      readonly from: Value;
      readonly to: Value;
    }
  | { readonly kind: 'amount'; readonly id: string; readonly by: number }
  | { readonly kind: 'made'; readonly thing: ThingKind; readonly id: string; readonly as: Item | Type }
  | { readonly kind: 'removed'; readonly thing: ThingKind; readonly id: string; readonly was: Item | Type }
  | { readonly kind: 'link'; readonly item: string; readonly type: string; readonly isLinked: boolean };

/** All parts of one undo step. */
export type Step = readonly Done[];

const same = (one: Value | undefined, other: Value | undefined): boolean => String(one) === String(other);
const FIELDS: Readonly<Record<ThingKind, readonly (ItemField | TypeField)[]>> = {
  item: ITEM_FIELDS,
  type: TYPE_FIELDS,
};

const getThings = (list: List, thing: ThingKind): ReadonlyMap<string, Item | Type> =>
  thing === 'item' ? list.items : list.types;
/** Returns a field by its name. Items and types have different fields. */
const getField = (one: Item | Type, field: ItemField | TypeField): Value =>
  (one as unknown as Readonly<Record<string, Value>>)[field] ?? '';

/** Collects the ids of things that the changes name. */
const listTouchedThings = (changes: readonly Change[]): Readonly<Record<ThingKind, ReadonlySet<string>>> => {
  const [item, type] = [new Set<string>(), new Set<string>()];
  for (const one of changes)
    if (one.kind === 'item' || one.kind === 'count') item.add(one.id);
    else if (one.kind === 'type') type.add(one.id);
    else if (one.kind === 'remove') (one.thing === 'item' ? item : type).add(one.id);
    else if (one.kind !== 'rename') item.add(one.item);
  return { item, type };
};

const diffFields = (thing: ThingKind, id: string, was: Item | Type, is: Item | Type): Step =>
  FIELDS[thing].flatMap((field): Step => {
    const [from, to] = [getField(was, field), getField(is, field)];
    if (same(from, to)) return [];
    // Counters are reversed by difference, so that changes of other members remain.
    if (field === 'actual') return [{ kind: 'amount', id, by: Number(to) - Number(from) }];
    return [{ kind: 'field', thing, id, field, from, to }];
  });

const diffThing = (before: List, after: List, thing: ThingKind, id: string): Step => {
  const [was, is] = [getThings(before, thing).get(id), getThings(after, thing).get(id)];
  if (was && is) return diffFields(thing, id, was, is);
  if (is) return [{ kind: 'made', thing, id, as: is }];
  return was ? [{ kind: 'removed', thing, id, was }] : [];
};

const diffLinks = (before: List, after: List, items: ReadonlySet<string>): Step =>
  [...items].flatMap((item): Step => {
    const [were, are] = [before.links.get(item) ?? new Set<string>(), after.links.get(item) ?? new Set<string>()];
    const removed = [...were].filter((type) => !are.has(type));
    const added = [...are].filter((type) => !were.has(type));
    return [
      ...removed.map((type) => ({ kind: 'link', item, type, isLinked: false }) as const),
      ...added.map((type) => ({ kind: 'link', item, type, isLinked: true }) as const),
    ];
  });

/** Returns the effect of these changes on the visible list, as one step that can be undone. */
export function createStep(before: List, changes: readonly Change[]): Step {
  const after = applyChanges(before, changes);
  const { item, type } = listTouchedThings(changes);
  const removedTypes = new Set([...type].filter((id) => before.types.has(id) && !after.types.has(id)));
  const linked = new Set(item);
  if (removedTypes.size > 0)
    for (const [id, types] of before.links) if ([...types].some((each) => removedTypes.has(each))) linked.add(id);
  return [
    ...(before.name === after.name ? [] : [{ kind: 'name', from: before.name, to: after.name } as const]),
    ...[...type].flatMap((id) => diffThing(before, after, 'type', id)),
    ...[...item].flatMap((id) => diffThing(before, after, 'item', id)),
    ...diffLinks(before, after, linked),
  ];
}

export interface UndoStep {
  readonly changes: readonly Change[];
  /** New ids of restored things, by their old ids. */
  readonly again: ReadonlyMap<string, string>;
}

/** Creates a removed thing again, under a new id. */
const recreateThing = (thing: ThingKind, id: string, was: Item | Type): readonly Change[] => {
  const fresh = thing === 'item' ? NEW_ITEM : NEW_TYPE;
  return FIELDS[thing]
    .filter((field) => field === 'name' || !same(getField(was, field), getField(fresh, field)))
    .map((field) => ({ kind: thing, id, field, value: getField(was, field) }) as Change);
};

interface Names {
  /** Current id of an id in the step: assigned by the server, or of a restored thing. */
  readonly known: (id: string) => string;
  readonly newId: () => string;
}

const undoThing = (
  done: Exclude<Done, { kind: 'name' | 'link' | 'removed' }>,
  now: List,
  id: string,
): readonly Change[] => {
  if (done.kind === 'amount') return now.items.has(id) ? [{ kind: 'count', id, by: -done.by }] : [];
  const there = getThings(now, done.thing).get(id);
  if (!there) return [];
  if (done.kind === 'field')
    return same(getField(there, done.field), done.to)
      ? [{ kind: done.thing, id, field: done.field, value: done.from } as Change]
      : [];
  // A thing that was changed since is not removed.
  const isAsMade = FIELDS[done.thing].every((field) => same(getField(there, field), getField(done.as, field)));
  return isAsMade ? [{ kind: 'remove', thing: done.thing, id }] : [];
};

const undoLink = (
  { item, type, isLinked }: { readonly item: string; readonly type: string; readonly isLinked: boolean },
  seen: List,
): readonly Change[] => {
  if (!seen.items.has(item) || !seen.types.has(type)) return [];
  const is = seen.links.get(item)?.has(type) ?? false;
  return is === isLinked ? [{ kind: 'link', item, type, isLinked: !isLinked }] : [];
};

/** Restores what was removed and is still missing, under new ids. */
const restoreRemoved = (step: Step, now: List, { known, newId }: Names): UndoStep => {
  const again = new Map<string, string>();
  const changes: Change[] = [];
  for (const done of step) {
    if (done.kind !== 'removed' || getThings(now, done.thing).has(known(done.id))) continue;
    const id = newId();
    again.set(done.id, id);
    changes.push(...recreateThing(done.thing, id, done.was));
  }
  return { changes, again };
};

/** Returns the changes that reverse a step in the current list. Later changes of others remain. */
export function createUndoStep(step: Step, now: List, names: Names): UndoStep {
  const { changes: back, again } = restoreRemoved(step, now, names);
  const nowId = (id: string): string => again.get(id) ?? names.known(id);
  const seen = applyChanges(now, back);
  const rest = step.flatMap((done): readonly Change[] => {
    switch (done.kind) {
      case 'removed':
        return [];
      case 'name':
        return now.name === done.to ? [{ kind: 'rename', name: done.from }] : [];
      case 'link':
        return undoLink({ item: nowId(done.item), type: nowId(done.type), isLinked: done.isLinked }, seen);
      case 'field':
      case 'amount':
      case 'made':
        return undoThing(done, now, nowId(done.id));
    }
  });
  return { changes: [...back, ...rest], again };
}
