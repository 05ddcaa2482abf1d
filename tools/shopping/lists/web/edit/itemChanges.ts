import { sameName, type KnownName } from '../../domain/itemNames.ts';
import { ITEM_FIELDS, LIMITS, NEW_ITEM, type Change, type Item, type List, inOrder } from '../../domain/list.ts';

/** A new item that only this page knows: nothing of it is sent before it has a name, or another field of it is set. */
export interface ItemDraft {
  /** Its `new…` id; undefined while there is none. */
  readonly id: () => string | undefined;
  readonly is: (id: string) => boolean;
  /** Begins this one in place of an older one; undefined takes the older one away. */
  readonly begin: (id: string | undefined) => void;
  /** Notes what is typed as its name and was not sent yet. */
  readonly type: (id: string, text: string) => void;
  /** Ends the draft where these changes make an item of it: the list has it from now on. */
  readonly settle: (changes: readonly Change[]) => void;
  /** Takes the draft away, unless something is typed in it. Gives whether it is gone. */
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
  const listeners = new Set<() => void>();
  function set(next: string | undefined): void {
    text = '';
    if (next === draft) return;
    draft = next;
    for (const notify of listeners) notify();
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
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The list as edit mode shows it: with the draft as its last item. */
export function withDraft(list: List, draft: string | undefined): List {
  if (draft === undefined || list.items.has(draft)) return list;
  return { ...list, items: new Map(list.items).set(draft, NEW_ITEM) };
}

/** Runs this once a press that is under way has done its work: a row that goes earlier moves what is being clicked. */
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

export function whyNoName(text: string, what: string): string | undefined {
  if (text.trim() === '') return '';
  return Array.from(text.trim()).length > LIMITS.name
    ? `The name of ${what} has at most ${LIMITS.name} characters`
    : undefined;
}

/** Makes an item under a `new…` id: only what differs from a new one's defaults is told besides its name. */
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

/** What brings a removed item back, under another id. */
export function itemAgain(before: List, id: string, newId: () => string): readonly Change[] {
  const item = before.items.get(id);
  return item ? itemChanges(newId(), item, [...(before.links.get(id) ?? [])]) : [];
}

/** What brings a removed type back, under another id and with its items. `has` tells which of them are still there. */
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

/** Gives an item a name; a known one brings its emoji, and its types where the item has none. */
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

/** Ids of a list's types by their names, in the list's order; names that it does not have are left out. */
export function typesNamed(list: List, names: readonly string[]): readonly string[] {
  const wanted = new Set(names.map(sameName));
  return inOrder(list.types).filter((id) => wanted.has(sameName(list.types.get(id)?.name ?? '')));
}
