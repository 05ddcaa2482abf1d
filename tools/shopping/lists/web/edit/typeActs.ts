import { notices } from '#platform/web/app/notices.ts';
import { LIMITS, NEW_TYPE, type Change } from '../../domain/list.ts';
import { inOrder, moved, placeAtEnd } from '../../domain/order.ts';
import { nextPair } from '../../domain/typeColour.ts';
import type { EditActions } from './editContext.ts';
import { typeAgain } from './itemChanges.ts';
import { passFocus } from './listActions.ts';

/** Makes a type at the end; with a name of its own it goes to an item at once, else its name is waiting to be typed. */
export const addType = (edit: EditActions, name?: string, item?: string): void => {
  const { types } = edit.list();
  if (types.size >= LIMITS.types) {
    notices.add('bad', `A list has at most ${LIMITS.types} types`);
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
};

export const removeType = (edit: EditActions, id: string, button: HTMLElement): void => {
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
};

/** `index` counts without itself. */
export const moveType = (edit: EditActions, id: string, index: number): void => {
  const { types } = edit.list();
  const places = moved(types, id, index);
  if (places.length === 0) return;
  edit.change(places.map((place) => ({ kind: 'type', id: place.id, field: 'order', value: place.order })));
  const at = Math.min(Math.max(0, index), types.size - 1);
  edit.say(`${types.get(id)?.name ?? ''} moved to place ${at + 1} of ${types.size}`);
};

export const stepType = (edit: EditActions, id: string, by: 1 | -1): void => {
  const ids = inOrder(edit.list().types);
  const at = ids.indexOf(id) + by;
  if (at >= 0 && at < ids.length) moveType(edit, id, at);
};
