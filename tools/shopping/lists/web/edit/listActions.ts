import { notices } from '#platform/web/app/notices.ts';
import { session } from '#platform/web/app/session.ts';
import { normalizeName } from '../../domain/itemNames.ts';
import {
  LIMITS,
  type List,
  NEW_TYPE,
  type Change,
  listIdsInOrder,
  moveInOrder,
  getOrderAtEnd,
} from '../../domain/list.ts';
import { getNextPair } from '../../domain/typeColour.ts';
import type { EditActions } from './editContext.ts';
import { restoreItem, findTypes, restoreType } from './itemChanges.ts';

/** Types that the items of a name had last, in any list of the account, while the page is open. */
const typesByName = new Map<string, readonly string[]>();

let ownerToken: string | undefined;

function getTypesByName(): typeof typesByName {
  const token = session.getCurrent()?.token;
  if (token !== ownerToken) typesByName.clear();
  ownerToken = token;
  return typesByName;
}

/** Stores the types of an item that is being removed. */
export function saveLastTypes(list: List, id: string): void {
  const item = list.items.get(id);
  const types = [...(list.links.get(id) ?? [])].flatMap((type) => list.types.get(type)?.name ?? []);
  if (item && types.length > 0) getTypesByName().set(normalizeName(item.name), types);
}

/** Returns the types of this list that an item of this name had last. */
export function findLastTypes(list: List, name: string): readonly string[] {
  return findTypes(list, getTypesByName().get(normalizeName(name)) ?? []);
}

/** Moves the focus to the same button of the next row, so that it is not lost to the page. */
export function moveFocus(from: HTMLElement, label: RegExp): void {
  const row = from.closest('li');
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  const button = [...(next?.querySelectorAll<HTMLElement>('button') ?? [])].find((candidate) =>
    label.test(candidate.getAttribute('aria-label') ?? ''),
  );
  (button ?? from.closest('section')?.querySelector('button'))?.focus({ preventScroll: true });
}

/** Adds a draft item with the focus in its name. It is not sent before it has a name. */
export function addItem(edit: EditActions): void {
  const draftId = edit.draft.getId();
  if (draftId !== undefined && !edit.draft.removeIfEmpty(draftId)) {
    notices.add('bad', 'Shorten the name of the new item first');
    return;
  }
  if (edit.getList().items.size >= LIMITS.items) {
    notices.add('bad', `A list can have at most ${LIMITS.items.toLocaleString('en')} items. Delete some`);
    return;
  }
  const id = edit.createId();
  edit.requestFocus(id);
  edit.draft.start(id);
}

export function removeItem(edit: EditActions, id: string, button: HTMLElement): void {
  const before = edit.getList();
  const item = before.items.get(id);
  if (!item) return;
  saveLastTypes(before, id);
  moveFocus(button, /^Delete /);
  if (edit.draft.isDraft(id)) {
    edit.draft.start(undefined);
    return;
  }
  edit.change([{ kind: 'remove', thing: 'item', id }]);
  edit.offerUndo(`${item.name} deleted`, () =>
    edit.getList().items.has(id) ? [] : restoreItem(before, id, edit.createId),
  );
}

/** Creates a type at the end. With a name it is linked to the item; without one, its name gets the focus. */
export function addType(edit: EditActions, name?: string, item?: string): void {
  const { types } = edit.getList();
  if (types.size >= LIMITS.types) {
    notices.add('bad', `A list can have at most ${LIMITS.types} types. Delete some`);
    return;
  }
  const id = edit.createId();
  if (name === undefined) edit.requestFocus(id);
  const changes: readonly Change[] = [
    {
      kind: 'type',
      id,
      field: 'name',
      value: Array.from(name ?? NEW_TYPE.name)
        .slice(0, LIMITS.name)
        .join(''),
    },
    { kind: 'type', id, field: 'order', value: getOrderAtEnd(types) },
    { kind: 'type', id, field: 'colour', value: getNextPair([...types.values()].map(({ colour }) => colour)) },
  ];
  edit.change(item === undefined ? changes : [...changes, { kind: 'link', item, type: id, isLinked: true }]);
}

export function removeType(edit: EditActions, id: string, button: HTMLElement): void {
  const before = edit.getList();
  const type = before.types.get(id);
  if (!type) return;
  moveFocus(button, /^Delete /);
  edit.change([{ kind: 'remove', thing: 'type', id }]);
  edit.offerUndo(`${type.name} deleted`, () =>
    edit.getList().types.has(id)
      ? []
      : restoreType(before, id, { createId: edit.createId, hasItem: (item) => edit.getList().items.has(item) }),
  );
}

/** Moves a type. `index` is counted without the type itself. */
export function moveType(edit: EditActions, id: string, index: number): void {
  const { types } = edit.getList();
  const positions = moveInOrder(types, id, index);
  if (positions.length === 0) return;
  edit.change(positions.map((position) => ({ kind: 'type', id: position.id, field: 'order', value: position.order })));
  const newIndex = Math.min(Math.max(0, index), types.size - 1);
  edit.announce(`${types.get(id)?.name ?? ''} moved to position ${newIndex + 1} of ${types.size}`);
}

export function stepType(edit: EditActions, id: string, direction: 1 | -1): void {
  const ids = listIdsInOrder(edit.getList().types);
  const index = ids.indexOf(id) + direction;
  if (index >= 0 && index < ids.length) moveType(edit, id, index);
}
