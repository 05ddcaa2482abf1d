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

type FieldValue = string | number | boolean | readonly [string, string];
type ThingKind = 'item' | 'type';

/** One part of an undo step: the effect of a change, with the values before and after. */
export type StepPart =
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

/** All parts of one undo step. */
export type Step = readonly StepPart[];

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

/** Returns the ids of the things that these changes refer to. */
function listTouchedThings(changes: readonly Change[]): Readonly<Record<ThingKind, ReadonlySet<string>>> {
  const [item, type] = [new Set<string>(), new Set<string>()];
  for (const change of changes)
    if (change.kind === 'item' || change.kind === 'count') item.add(change.id);
    else if (change.kind === 'type') type.add(change.id);
    else if (change.kind === 'remove') (change.thing === 'item' ? item : type).add(change.id);
    else if (change.kind !== 'rename') item.add(change.item);
  return { item, type };
}

const diffFields = (thing: ThingKind, id: string, before: Item | Type, after: Item | Type): Step =>
  FIELDS[thing].flatMap((field): Step => {
    const [from, to] = [getField(before, field), getField(after, field)];
    if (isSameValue(from, to)) return [];
    // Counters are reversed by difference, so that changes of other members remain.
    if (field === 'actual') return [{ kind: 'amount', id, by: Number(to) - Number(from) }];
    return [{ kind: 'field', thing, id, field, from, to }];
  });

function diffThing(before: List, after: List, thing: ThingKind, id: string): Step {
  const [oldThing, newThing] = [getThings(before, thing).get(id), getThings(after, thing).get(id)];
  if (oldThing && newThing) return diffFields(thing, id, oldThing, newThing);
  if (newThing) return [{ kind: 'created', thing, id, value: newThing }];
  return oldThing ? [{ kind: 'removed', thing, id, value: oldThing }] : [];
}

const diffLinks = (before: List, after: List, items: ReadonlySet<string>): Step =>
  [...items].flatMap((item): Step => {
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

/** Returns the effect of these changes on the visible list, as one step that can be undone. */
export function createStep(before: List, changes: readonly Change[]): Step {
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

export interface UndoStep {
  readonly changes: readonly Change[];
  /** Ids of restored things. */
  readonly newIdByOldId: ReadonlyMap<string, string>;
}

/** Creates a removed thing again, under a new id. */
function recreateThing(thing: ThingKind, id: string, value: Item | Type): readonly Change[] {
  const defaults = thing === 'item' ? NEW_ITEM : NEW_TYPE;
  return FIELDS[thing]
    .filter((field) => field === 'name' || !isSameValue(getField(value, field), getField(defaults, field)))
    .map((field) => ({ kind: thing, id, field, value: getField(value, field) }) as Change);
}

interface IdResolver {
  /** Returns the current id for an id in the step: one that the server assigned, or that of a restored thing. */
  readonly getCurrentId: (id: string) => string;
  readonly createId: () => string;
}

function undoThing(
  part: Exclude<StepPart, { kind: 'name' | 'link' | 'removed' }>,
  list: List,
  id: string,
): readonly Change[] {
  if (part.kind === 'amount') return list.items.has(id) ? [{ kind: 'count', id, by: -part.by }] : [];
  const current = getThings(list, part.thing).get(id);
  if (!current) return [];
  if (part.kind === 'field')
    return isSameValue(getField(current, part.field), part.to)
      ? [{ kind: part.thing, id, field: part.field, value: part.from } as Change]
      : [];
  // A thing that was changed since is not removed.
  const isUnchanged = FIELDS[part.thing].every((field) =>
    isSameValue(getField(current, field), getField(part.value, field)),
  );
  return isUnchanged ? [{ kind: 'remove', thing: part.thing, id }] : [];
}

function undoLink(
  { item, type, isLinked }: { readonly item: string; readonly type: string; readonly isLinked: boolean },
  list: List,
): readonly Change[] {
  if (!list.items.has(item) || !list.types.has(type)) return [];
  const isLinkedNow = list.links.get(item)?.has(type) ?? false;
  return isLinkedNow === isLinked ? [{ kind: 'link', item, type, isLinked: !isLinked }] : [];
}

/** Restores what was removed and is still missing, under new ids. */
function restoreRemoved(step: Step, list: List, { getCurrentId, createId }: IdResolver): UndoStep {
  const newIdByOldId = new Map<string, string>();
  const changes: Change[] = [];
  for (const part of step) {
    if (part.kind !== 'removed' || getThings(list, part.thing).has(getCurrentId(part.id))) continue;
    const id = createId();
    newIdByOldId.set(part.id, id);
    changes.push(...recreateThing(part.thing, id, part.value));
  }
  return { changes, newIdByOldId };
}

/** Returns the changes that reverse a step in the current list. Later changes of others remain. */
export function createUndoStep(step: Step, list: List, ids: IdResolver): UndoStep {
  const { changes: restoringChanges, newIdByOldId } = restoreRemoved(step, list, ids);
  const getCurrentId = (id: string): string => newIdByOldId.get(id) ?? ids.getCurrentId(id);
  const restoredList = applyChanges(list, restoringChanges);
  const otherChanges = step.flatMap((part): readonly Change[] => {
    switch (part.kind) {
      case 'removed':
        return [];
      case 'name':
        return list.name === part.to ? [{ kind: 'rename', name: part.from }] : [];
      case 'link':
        return undoLink(
          { item: getCurrentId(part.item), type: getCurrentId(part.type), isLinked: part.isLinked },
          restoredList,
        );
      case 'field':
      case 'amount':
      case 'created':
        return undoThing(part, list, getCurrentId(part.id));
    }
  });
  return { changes: [...restoringChanges, ...otherChanges], newIdByOldId };
}
