import { NEW_ITEM, type Change, type List } from '../../domain/list.ts';

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
