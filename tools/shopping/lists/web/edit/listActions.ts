import { notices } from '#platform/web/app/notices.ts';
import { LIMITS } from '../../domain/list.ts';
import type { EditActions } from './editContext.ts';
import { rememberTypes } from './had.ts';
import { itemAgain } from './itemChanges.ts';

/** The focus goes on to the next row's button, and does not fall to the page. */
export const passFocus = (from: HTMLElement, label: RegExp): void => {
  const row = from.closest('li');
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  const button = [...(next?.querySelectorAll<HTMLElement>('button') ?? [])].find((each) =>
    label.test(each.getAttribute('aria-label') ?? ''),
  );
  (button ?? from.closest('section')?.querySelector('button'))?.focus({ preventScroll: true });
};

/** Begins a new item, whose name waits to be typed. Nobody else hears of it before it has one. */
export const addItem = (edit: EditActions): void => {
  const before = edit.draft.id();
  if (before !== undefined && !edit.draft.leave(before)) {
    notices.add('bad', 'Shorten the name of the new item first');
    return;
  }
  if (edit.list().items.size >= LIMITS.items) {
    notices.add('bad', `A list has at most ${LIMITS.items.toLocaleString('en')} items`);
    return;
  }
  const id = edit.newId();
  edit.expect(id);
  edit.draft.begin(id);
};

export const removeItem = (edit: EditActions, id: string, button: HTMLElement): void => {
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
  edit.offerUndo(`${item.name} deleted`, () => (edit.list().items.has(id) ? [] : itemAgain(before, id, edit.newId)));
};
