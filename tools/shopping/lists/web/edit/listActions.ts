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
  placeAtEnd,
} from '../../domain/list.ts';
import { nextPair } from '../../domain/typeColour.ts';
import type { EditActions } from './editContext.ts';
import { restoreItem, findTypes, typeAgain } from './itemChanges.ts';

/** Types that an item of a name had last, by name: during this visit, for this account, in any list. */
let who: string | undefined;
const had = new Map<string, readonly string[]>();

const ofThisAccount = (): typeof had => {
  const now = session.getCurrent()?.token;
  if (now !== who) had.clear();
  who = now;
  return had;
};

/** Stores the types of an item that is being removed. */
export function rememberTypes(list: List, id: string): void {
  const item = list.items.get(id);
  const types = [...(list.links.get(id) ?? [])].flatMap((type) => list.types.get(type)?.name ?? []);
  if (item && types.length > 0) ofThisAccount().set(normalizeName(item.name), types);
}

/** Returns the types of this list that an item of this name had last. */
export function typesHad(list: List, name: string): readonly string[] {
  return findTypes(list, ofThisAccount().get(normalizeName(name)) ?? []);
}

/** Moves the focus to the same button of the next row, so that it is not lost to the page. */
export function passFocus(from: HTMLElement, label: RegExp): void {
  const row = from.closest('li');
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  const button = [...(next?.querySelectorAll<HTMLElement>('button') ?? [])].find((each) =>
    label.test(each.getAttribute('aria-label') ?? ''),
  );
  (button ?? from.closest('section')?.querySelector('button'))?.focus({ preventScroll: true });
}

/** Adds a draft item with the focus in its name. It is not sent before it has a name. */
export function addItem(edit: EditActions): void {
  const before = edit.draft.id();
  if (before !== undefined && !edit.draft.leave(before)) {
    notices.add('bad', 'Shorten the name of the new item first');
    return;
  }
  if (edit.list().items.size >= LIMITS.items) {
    notices.add('bad', `A list can have at most ${LIMITS.items.toLocaleString('en')} items. Delete some`);
    return;
  }
  const id = edit.newId();
  edit.expect(id);
  edit.draft.begin(id);
}

export function removeItem(edit: EditActions, id: string, button: HTMLElement): void {
  const before = edit.list();
  const item = before.items.get(id);
  if (!item) return;
  rememberTypes(before, id);
  passFocus(button, /^Delete /);
  if (edit.draft.is(id)) {
    edit.draft.begin(undefined);
    return;
  }
  edit.change([{ kind: 'remove', thing: 'item', id }]);
  edit.offerUndo(`${item.name} deleted`, () => (edit.list().items.has(id) ? [] : restoreItem(before, id, edit.newId)));
}

/** Creates a type at the end. With a name it is linked to the item; without one, its name gets the focus. */
export function addType(edit: EditActions, name?: string, item?: string): void {
  const { types } = edit.list();
  if (types.size >= LIMITS.types) {
    notices.add('bad', `A list can have at most ${LIMITS.types} types. Delete some`);
    return;
  }
  const id = edit.newId();
  if (name === undefined) edit.expect(id);
  const made: readonly Change[] = [
    {
      kind: 'type',
      id,
      field: 'name',
      value: Array.from(name ?? NEW_TYPE.name)
        .slice(0, LIMITS.name)
        .join(''),
    },
    { kind: 'type', id, field: 'order', value: placeAtEnd(types) },
    { kind: 'type', id, field: 'colour', value: nextPair([...types.values()].map(({ colour }) => colour)) },
  ];
  edit.change(item === undefined ? made : [...made, { kind: 'link', item, type: id, isLinked: true }]);
}

export function removeType(edit: EditActions, id: string, button: HTMLElement): void {
  const before = edit.list();
  const type = before.types.get(id);
  if (!type) return;
  passFocus(button, /^Delete /);
  edit.change([{ kind: 'remove', thing: 'type', id }]);
  edit.offerUndo(`${type.name} deleted`, () =>
    edit.list().types.has(id)
      ? []
      : typeAgain(before, id, { newId: edit.newId, has: (item) => edit.list().items.has(item) }),
  );
}

/** Moves a type. `index` is counted without the type itself. */
export function moveType(edit: EditActions, id: string, index: number): void {
  const { types } = edit.list();
  const places = moveInOrder(types, id, index);
  if (places.length === 0) return;
  edit.change(places.map((place) => ({ kind: 'type', id: place.id, field: 'order', value: place.order })));
  const at = Math.min(Math.max(0, index), types.size - 1);
  edit.say(`${types.get(id)?.name ?? ''} moved to position ${at + 1} of ${types.size}`);
}

export function stepType(edit: EditActions, id: string, by: 1 | -1): void {
  const ids = listIdsInOrder(edit.list().types);
  const at = ids.indexOf(id) + by;
  if (at >= 0 && at < ids.length) moveType(edit, id, at);
}
