import {
  ITEM_FIELDS,
  NEW_ITEM,
  NEW_TYPE,
  TYPE_FIELDS,
  type Change,
  type Item,
  type ItemField,
  type List,
  type ThingKind,
  type Type,
  type TypeField,
} from '../../lists/domain/list.ts';
import { applyChanges } from './listReducer.ts';

type FieldValue = string | number | boolean | readonly [string, string];

/** The effect of changes on one value or thing of a list, with what was before and after. */
export type ChangeEffect =
  | { readonly kind: 'name'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'field';
      readonly thing: ThingKind;
      readonly id: string;
      readonly field: ItemField | TypeField;
      readonly from: FieldValue;
      readonly to: FieldValue;
    }
  | { readonly kind: 'amount'; readonly id: string; readonly by: number }
  | { readonly kind: 'created'; readonly thing: ThingKind; readonly id: string; readonly value: Item | Type }
  | { readonly kind: 'removed'; readonly thing: ThingKind; readonly id: string; readonly value: Item | Type }
  | { readonly kind: 'link'; readonly item: string; readonly type: string; readonly isLinked: boolean };

const isSameValue = (a: FieldValue | undefined, b: FieldValue | undefined): boolean => String(a) === String(b);
const FIELDS: Readonly<Record<ThingKind, readonly (ItemField | TypeField)[]>> = {
  item: ITEM_FIELDS,
  type: TYPE_FIELDS,
};

const getThings = (list: List, thing: ThingKind): ReadonlyMap<string, Item | Type> =>
  thing === 'item' ? list.items : list.types;
/** Returns a field by its name. Items and types have different fields. */
const getField = (thing: Item | Type, field: ItemField | TypeField): FieldValue =>
  (thing as unknown as Readonly<Record<string, FieldValue>>)[field] ?? '';

/** Returns the ids of the items and types to which these changes refer. */
function listTouchedThings(changes: readonly Change[]): Readonly<Record<ThingKind, ReadonlySet<string>>> {
  const [item, type] = [new Set<string>(), new Set<string>()];
  for (const change of changes)
    if (change.kind === 'item' || change.kind === 'count') item.add(change.id);
    else if (change.kind === 'type') type.add(change.id);
    else if (change.kind === 'remove') (change.thing === 'item' ? item : type).add(change.id);
    else if (change.kind !== 'rename') item.add(change.item);
  return { item, type };
}

const diffFields = (thing: ThingKind, id: string, before: Item | Type, after: Item | Type): readonly ChangeEffect[] =>
  FIELDS[thing].flatMap((field): readonly ChangeEffect[] => {
    const [from, to] = [getField(before, field), getField(after, field)];
    if (isSameValue(from, to)) return [];
    // Counters are reversed by difference, so that changes of other members remain.
    if (field === 'actual') return [{ kind: 'amount', id, by: Number(to) - Number(from) }];
    return [{ kind: 'field', thing, id, field, from, to }];
  });

function diffThing(before: List, after: List, thing: ThingKind, id: string): readonly ChangeEffect[] {
  const [oldThing, newThing] = [getThings(before, thing).get(id), getThings(after, thing).get(id)];
  if (oldThing && newThing) return diffFields(thing, id, oldThing, newThing);
  if (newThing) return [{ kind: 'created', thing, id, value: newThing }];
  return oldThing ? [{ kind: 'removed', thing, id, value: oldThing }] : [];
}

const diffLinks = (before: List, after: List, items: ReadonlySet<string>): readonly ChangeEffect[] =>
  [...items].flatMap((item): readonly ChangeEffect[] => {
    const [oldTypes, newTypes] = [
      before.links.get(item) ?? new Set<string>(),
      after.links.get(item) ?? new Set<string>(),
    ];
    const removed = [...oldTypes].filter((type) => !newTypes.has(type));
    const added = [...newTypes].filter((type) => !oldTypes.has(type));
    return [
      ...removed.map((type) => ({ kind: 'link', item, type, isLinked: false }) as const),
      ...added.map((type) => ({ kind: 'link', item, type, isLinked: true }) as const),
    ];
  });

/** Returns the effects of these changes on the list, from which `createUndoChanges` can undo them. */
export function describeEffects(before: List, changes: readonly Change[]): readonly ChangeEffect[] {
  const after = applyChanges(before, changes);
  const { item, type } = listTouchedThings(changes);
  const removedTypes = new Set([...type].filter((id) => before.types.has(id) && !after.types.has(id)));
  const linkedItems = new Set(item);
  if (removedTypes.size > 0)
    for (const [id, types] of before.links)
      if ([...types].some((linkedType) => removedTypes.has(linkedType))) linkedItems.add(id);
  return [
    ...(before.name === after.name ? [] : [{ kind: 'name', from: before.name, to: after.name } as const]),
    ...[...type].flatMap((id) => diffThing(before, after, 'type', id)),
    ...[...item].flatMap((id) => diffThing(before, after, 'item', id)),
    ...diffLinks(before, after, linkedItems),
  ];
}

/** Changes that undo others. */
export interface UndoChanges {
  readonly changes: readonly Change[];
  /** New ids of restored things. */
  readonly newIdByOldId: ReadonlyMap<string, string>;
}

/** Returns changes that create a removed thing again, under a new id. */
function recreateThing(thing: ThingKind, id: string, value: Item | Type): readonly Change[] {
  const defaults = thing === 'item' ? NEW_ITEM : NEW_TYPE;
  return FIELDS[thing]
    .filter((field) => field === 'name' || !isSameValue(getField(value, field), getField(defaults, field)))
    .map((field) => ({ kind: thing, id, field, value: getField(value, field) }) as Change);
}

interface IdResolver {
  /** Returns the current id for an id in an effect: one that the server assigned, or that of a restored thing. */
  readonly getCurrentId: (id: string) => string;
  readonly createId: () => string;
}

function undoThing(
  effect: Exclude<ChangeEffect, { kind: 'name' | 'link' | 'removed' }>,
  list: List,
  id: string,
): readonly Change[] {
  if (effect.kind === 'amount') return list.items.has(id) ? [{ kind: 'count', id, by: -effect.by }] : [];
  const current = getThings(list, effect.thing).get(id);
  if (!current) return [];
  if (effect.kind === 'field')
    return isSameValue(getField(current, effect.field), effect.to)
      ? [{ kind: effect.thing, id, field: effect.field, value: effect.from } as Change]
      : [];
  // A thing that was changed since is not removed.
  const isUnchanged = FIELDS[effect.thing].every((field) =>
    isSameValue(getField(current, field), getField(effect.value, field)),
  );
  return isUnchanged ? [{ kind: 'remove', thing: effect.thing, id }] : [];
}

function undoLink(
  { item, type, isLinked }: { readonly item: string; readonly type: string; readonly isLinked: boolean },
  list: List,
): readonly Change[] {
  if (!list.items.has(item) || !list.types.has(type)) return [];
  const isLinkedNow = list.links.get(item)?.has(type) ?? false;
  return isLinkedNow === isLinked ? [{ kind: 'link', item, type, isLinked: !isLinked }] : [];
}

/** Returns changes that restore what was removed and is still missing, under new ids. */
function restoreRemoved(
  effects: readonly ChangeEffect[],
  list: List,
  { getCurrentId, createId }: IdResolver,
): UndoChanges {
  const newIdByOldId = new Map<string, string>();
  const changes: Change[] = [];
  for (const effect of effects) {
    if (effect.kind !== 'removed' || getThings(list, effect.thing).has(getCurrentId(effect.id))) continue;
    const id = createId();
    newIdByOldId.set(effect.id, id);
    changes.push(...recreateThing(effect.thing, id, effect.value));
  }
  return { changes, newIdByOldId };
}

/** Returns the changes that undo these effects in the current list. Later changes of others remain. */
export function createUndoChanges(effects: readonly ChangeEffect[], list: List, ids: IdResolver): UndoChanges {
  const { changes: restoringChanges, newIdByOldId } = restoreRemoved(effects, list, ids);
  const getCurrentId = (id: string): string => newIdByOldId.get(id) ?? ids.getCurrentId(id);
  const restoredList = applyChanges(list, restoringChanges);
  const otherChanges = effects.flatMap((effect): readonly Change[] => {
    switch (effect.kind) {
      case 'removed':
        return [];
      case 'name':
        return list.name === effect.to ? [{ kind: 'rename', name: effect.from }] : [];
      case 'link':
        return undoLink(
          { item: getCurrentId(effect.item), type: getCurrentId(effect.type), isLinked: effect.isLinked },
          restoredList,
        );
      case 'field':
      case 'amount':
      case 'created':
        return undoThing(effect, list, getCurrentId(effect.id));
    }
  });
  return { changes: [...restoringChanges, ...otherChanges], newIdByOldId };
}
