import { createListeners } from '#platform/web/store.ts';
import { normalizeName, type KnownName } from '../../domain/itemNames.ts';
import {
  ITEM_FIELDS,
  LIMITS,
  NEW_ITEM,
  type Change,
  type Item,
  type List,
  type ThingKind,
  listIdsInOrder,
} from '../../domain/list.ts';

/** A new item that only this page knows. It is sent once it has a name or another changed field. */
export interface ItemDraft {
  /** Its `new…` id; undefined if there is no draft. */
  readonly getId: () => string | undefined;
  readonly isDraft: (id: string) => boolean;
  /** Starts this draft in place of an older one; undefined removes the older one. */
  readonly start: (id: string | undefined) => void;
  /** Records text that was typed as its name and is not sent yet. */
  readonly setText: (id: string, text: string) => void;
  /** Ends the draft if these changes turn it into an item of the list. */
  readonly settle: (changes: readonly Change[]) => void;
  /** Removes the draft if it has no text. Returns whether it is removed. */
  readonly removeIfEmpty: (id: string) => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

function affectsItem(change: Change, id: string): boolean {
  if (change.kind === 'rename' || change.kind === 'type') return false;
  return change.kind === 'link' || change.kind === 'links' ? change.item === id : change.id === id;
}

export function createItemDraft(): ItemDraft {
  let draftId: string | undefined;
  let text = '';
  const listeners = createListeners();
  function setDraft(id: string | undefined): void {
    text = '';
    if (id === draftId) return;
    draftId = id;
    listeners.notify();
  }
  const isDraft = (id: string): boolean => draftId === id;
  return {
    getId: () => draftId,
    isDraft,
    start: setDraft,
    setText: (id, newText) => {
      if (isDraft(id)) text = newText;
    },
    settle: (changes) => {
      const id = draftId;
      if (id !== undefined && changes.some((change) => affectsItem(change, id))) setDraft(undefined);
    },
    removeIfEmpty: (id) => {
      if (!isDraft(id)) return true;
      if (text.trim() !== '') return false;
      setDraft(undefined);
      return true;
    },
    subscribe: listeners.subscribe,
  };
}

/** Returns the list as edit mode shows it: with the draft as its last item. */
export function addDraft(list: List, draftId: string | undefined): List {
  if (draftId === undefined || list.items.has(draftId)) return list;
  return { ...list, items: new Map(list.items).set(draftId, NEW_ITEM) };
}

/** Calls back after the current press has ended: removing a row earlier would move the target of a click. */
export function runAfterPress(callback: () => void): void {
  const schedule = (): void => void setTimeout(callback);
  if (document.querySelector(':active') === null) return schedule();
  const controller = new AbortController();
  function handleEnd(): void {
    controller.abort();
    schedule();
  }
  for (const event of ['pointerup', 'pointercancel', 'keyup', 'dragend'])
    window.addEventListener(event, handleEnd, { signal: controller.signal, capture: true });
}

/** Returns why a name is invalid; '' for an empty name, which needs no message. */
export function findNameProblem(text: string, thing: ThingKind): string | undefined {
  if (text.trim() === '') return '';
  return Array.from(text.trim()).length > LIMITS.name
    ? `The ${thing} name is too long. Enter at most ${LIMITS.name} characters`
    : undefined;
}

/** Returns changes that create an item: its name, the fields that differ from the defaults, and its types. */
export function createItemChanges(id: string, item: Item, types: readonly string[]): readonly Change[] {
  return [
    { kind: 'item', id, field: 'name', value: item.name },
    ...ITEM_FIELDS.filter((field) => field !== 'name' && item[field] !== NEW_ITEM[field]).map((field): Change => ({
      kind: 'item',
      id,
      field,
      value: item[field],
    })),
    ...types.map((type): Change => ({ kind: 'link', item: id, type, isLinked: true })),
  ];
}

/** Returns changes that restore a removed item under another id. */
export function restoreItem(before: List, id: string, createId: () => string): readonly Change[] {
  const item = before.items.get(id);
  return item ? createItemChanges(createId(), item, [...(before.links.get(id) ?? [])]) : [];
}

/** Returns changes that restore a removed type under another id, with its items that still exist. */
export function restoreType(
  before: List,
  id: string,
  { createId, hasItem }: { createId: () => string; hasItem: (item: string) => boolean },
): readonly Change[] {
  const type = before.types.get(id);
  if (!type) return [];
  const newId = createId();
  const linkedItems = [...before.links].filter(([item, types]) => types.has(id) && hasItem(item));
  return [
    { kind: 'type', id: newId, field: 'name', value: type.name },
    { kind: 'type', id: newId, field: 'colour', value: type.colour },
    { kind: 'type', id: newId, field: 'isVisible', value: type.isVisible },
    { kind: 'type', id: newId, field: 'order', value: type.order },
    ...linkedItems.map(([item]): Change => ({ kind: 'link', item, type: newId, isLinked: true })),
  ];
}

/** Returns changes that name an item. A known name sets its emoji, and its types if the item has none. */
export function createNameChanges(
  list: List,
  id: string,
  name: string,
  known?: KnownName & { readonly types?: readonly string[] },
): readonly Change[] {
  const item = list.items.get(id);
  if (!item) return [];
  const types = (list.links.get(id)?.size ?? 0) === 0 ? (known?.types ?? []) : [];
  return [
    ...(item.name === name ? [] : [{ kind: 'item', id, field: 'name', value: name } as const]),
    ...(known && known.emoji !== '' && known.emoji !== item.emoji
      ? [{ kind: 'item', id, field: 'emoji', value: known.emoji } as const]
      : []),
    ...types.map((type): Change => ({ kind: 'link', item: id, type, isLinked: true })),
  ];
}

/** Returns the ids of types with these names, in the order of the list. */
export function findTypes(list: List, names: readonly string[]): readonly string[] {
  const wantedNames = new Set(names.map(normalizeName));
  return listIdsInOrder(list.types).filter((id) => wantedNames.has(normalizeName(list.types.get(id)?.name ?? '')));
}
