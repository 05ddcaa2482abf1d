import { createListeners } from '#platform/web/store.ts';
import { normalizeName, type KnownName } from '../../domain/itemNames.ts';
import { ITEM_FIELDS, LIMITS, NEW_ITEM, type Change, type Item, type List, listIdsInOrder } from '../../domain/list.ts';

/** A new item that only this page knows. It is sent once it has a name or another changed field. */
export interface ItemDraft {
  /** Its `new…` id; undefined if there is no draft. */
  readonly id: () => string | undefined;
  readonly is: (id: string) => boolean;
  /** Starts this draft in place of an older one; undefined removes the older one. */
  readonly begin: (id: string | undefined) => void;
  /** Records text that was typed as its name and is not sent yet. */
  readonly type: (id: string, text: string) => void;
  /** Ends the draft if these changes turn it into an item of the list. */
  readonly settle: (changes: readonly Change[]) => void;
  /** Removes the draft unless something is typed in it. Returns whether it was removed. */
  readonly leave: (id: string) => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

const makes = (change: Change, id: string): boolean => {
  if (change.kind === 'rename' || change.kind === 'type') return false;
  return change.kind === 'link' || change.kind === 'links' ? change.item === id : change.id === id;
};

export function createItemDraft(): ItemDraft {
  let draft: string | undefined;
  let text = '';
  const listeners = createListeners();
  function set(next: string | undefined): void {
    text = '';
    if (next === draft) return;
    draft = next;
    listeners.notify();
  }
  function is(id: string): boolean {
    return draft === id;
  }
  return {
    id: () => draft,
    is,
    begin: set,
    type: (id, typed) => {
      if (is(id)) text = typed;
    },
    settle: (changes) => {
      const id = draft;
      if (id !== undefined && changes.some((change) => makes(change, id))) set(undefined);
    },
    leave: (id) => {
      if (!is(id)) return true;
      if (text.trim() !== '') return false;
      set(undefined);
      return true;
    },
    subscribe: listeners.subscribe,
  };
}

/** Returns the list as edit mode shows it: with the draft as its last item. */
export function withDraft(list: List, draft: string | undefined): List {
  if (draft === undefined || list.items.has(draft)) return list;
  return { ...list, items: new Map(list.items).set(draft, NEW_ITEM) };
}

/**
 * Runs a function after the current press has taken effect: removing a row earlier would move the target of a click.
 */
export function afterPress(run: () => void): void {
  const later = (): void => void setTimeout(run);
  if (document.querySelector(':active') === null) return later();
  const stop = new AbortController();
  const end = (): void => {
    stop.abort();
    later();
  };
  for (const event of ['pointerup', 'pointercancel', 'keyup', 'dragend'])
    window.addEventListener(event, end, { signal: stop.signal, capture: true });
}

export function findNameProblem(text: string, what: 'item' | 'type'): string | undefined {
  if (text.trim() === '') return '';
  return Array.from(text.trim()).length > LIMITS.name
    ? `The ${what} name is too long. Enter at most ${LIMITS.name} characters`
    : undefined;
}

/** Creates an item under a `new…` id: its name, and the fields that differ from the defaults. */
export function itemChanges(id: string, item: Item, types: readonly string[]): readonly Change[] {
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
export function restoreItem(before: List, id: string, newId: () => string): readonly Change[] {
  const item = before.items.get(id);
  return item ? itemChanges(newId(), item, [...(before.links.get(id) ?? [])]) : [];
}

/** Returns changes that restore a removed type under another id. `has`: whether an item still exists. */
export function typeAgain(
  before: List,
  id: string,
  now: { newId: () => string; has: (item: string) => boolean },
): readonly Change[] {
  const type = before.types.get(id);
  if (!type) return [];
  const again = now.newId();
  const linked = [...before.links].filter(([item, types]) => types.has(id) && now.has(item));
  return [
    { kind: 'type', id: again, field: 'name', value: type.name },
    { kind: 'type', id: again, field: 'colour', value: type.colour },
    { kind: 'type', id: again, field: 'isVisible', value: type.isVisible },
    { kind: 'type', id: again, field: 'order', value: type.order },
    ...linked.map(([item]): Change => ({ kind: 'link', item, type: again, isLinked: true })),
  ];
}

/** Names an item; a known name sets its emoji, and its types if the item has none. */
export function nameChanges(
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

/** Returns the ids of types with these names, in the order of the list; unknown names are ignored. */
export function findTypes(list: List, names: readonly string[]): readonly string[] {
  const wantedNames = new Set(names.map(normalizeName));
  return listIdsInOrder(list.types).filter((id) => wantedNames.has(normalizeName(list.types.get(id)?.name ?? '')));
}
